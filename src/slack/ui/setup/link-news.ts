import type { LinkChange } from '../../../core/accounts/link-change.ts';
import { button, type Message, message } from '../blocks.ts';
import { ACTIONS } from '../ids.ts';
import { quoted } from '../safe-text.ts';
import { credits, inLines, mention, plural } from '../words.ts';

/** A channel, and the instance that pays for its texts. */
type Linking = Pick<LinkChange, 'channel' | 'instanceName'>;

/** To the admin, once a channel is linked. `left`: its credits, if the balance could be read. */
export function linkedNotice({ channel, instanceName }: Linking, left: number | undefined): string {
  const balance =
    left === undefined ? 'The balance could not be read right now.' : `Balance: ${credits(left)}`;
  return `✅ *Linked* <#${channel}> to ${quoted(instanceName)}.\n${balance}`;
}

/** To a channel that was linked or unlinked. */
export function linkChangeMessage({ by, instanceName, channel, linked }: Omit<LinkChange, 'team'>): Message {
  return message(
    linked
      ? `✅ ${mention(by)} linked <#${channel}> to ${quoted(instanceName)}: texts can be sent from here now.\nType \`/sms send\`: you see the cost before you decide.`
      : `⛔ ${mention(by)} unlinked this channel from ${quoted(instanceName)}: nobody can send texts from here any more.`,
  );
}

export const LINKED_AGAIN = 'Somebody has linked this channel again meanwhile.';
export const JOB_BEGAN = 'Another job has begun here meanwhile.';

/**
 * Asks whether to unlink the channel, and what to do about its jobs. `jobs`: how many are running or paused. `notice`: why
 * we ask once more.
 */
export function unlinkQuestion(
  { channel, instanceName }: Linking,
  { linkedAt, newestJob, jobs, notice }: UnlinkValue & { jobs: number; notice: string | undefined },
): Message {
  const value = `${linkedAt}/${newestJob}`;
  const keep = button(ACTIONS.keepLink, 'Keep it');
  const question = inLines(notice, `*Unlink <#${channel}> from ${quoted(instanceName)}?*`);
  const goes = 'The channel’s settings and limits are deleted. The API key stays with the instance.';
  if (jobs === 0)
    return message(
      `${question}\nNo texts can be sent from here any more, and open drafts expire.\n${goes}`,
      button(ACTIONS.confirmUnlink, 'Unlink: no more texts from here', value),
      keep,
    );
  const [are, them, whenDone] =
    jobs === 1 ? ['is', 'it', 'when it is done'] : ['are', 'them', 'when they are done'];
  return message(
    `${question}\n${plural(jobs, 'job')} from here ${are} still running or paused.\n` +
      `*Stop* cancels the rest for good. Waiting lets ${them} finish, and no new job begins meanwhile.\n` +
      `Open drafts expire. ${goes}`,
    button(ACTIONS.stopAndUnlink, `Stop ${plural(jobs, 'job')} and unlink`, value, 'danger'),
    button(ACTIONS.unlinkWhenDone, `Unlink ${whenDone}`, value),
    keep,
  );
}

export const LINK_KEPT = message('✅ This channel stays linked.');

/** The bot unlinks the channel by itself once its jobs have ended. */
export function unlinkingMessage(instanceName: string, stopped = 0): Message {
  const why =
    stopped > 0
      ? `${plural(stopped, 'job')} stopped.\nThis channel will be unlinked from ${quoted(instanceName)} once the texts on the way have their answers.`
      : `This channel will be unlinked from ${quoted(instanceName)} once its jobs are done.\nUntil then no new job can begin. A paused job waits for *Resume* or *Stop*.`;
  return message(`${why}\nTo keep it linked after all, type \`/sms link\`.`);
}

/** To the person who unlinked. */
export function unlinkedMessage(
  instanceName: string,
  { drafts, stopped = 0 }: { drafts: number; stopped?: number },
): Message {
  const none = `nothing of ${drafts === 1 ? 'it' : 'them'} was sent`;
  return message(
    inLines(
      `✅ *Unlinked* from ${quoted(instanceName)}.`,
      stopped > 0 && `${plural(stopped, 'job')} stopped: the texts that were not sent are cancelled.`,
      drafts > 0 && `${plural(drafts, 'open draft')} expired: ${none}.`,
      'The API key stays with the instance. `/sms link` links this channel again.',
    ),
  );
}

/** What the buttons of the question remember, to see whether the link or its jobs changed since. */
interface UnlinkValue {
  /** When the channel was linked, ms since 1970. A later link has another time. */
  linkedAt: number;
  /** When somebody confirmed the newest of its open jobs, ms since 1970; 0 without any. */
  newestJob: number;
}

/** Reads the value of the question's buttons. A button of an older version has none; then `linkedAt` matches no link. */
export function readUnlinkValue(value: string): UnlinkValue {
  const [linkedAt = Number.NaN, newestJob = 0] = value === '' ? [] : value.split('/').map(Number);
  return { linkedAt, newestJob };
}
