import { button, buttons, type Message, message } from '../blocks.ts';
import { ACTIONS } from '../ids.ts';
import { quoted } from '../safe-text.ts';
import { credits, mention, plural } from '../words.ts';
import { type UnlinkValue, unlinkValue } from './unlink-value.ts';

/** A channel, and the instance that pays for its texts. */
interface Linking {
  instanceName: string;
  channel: string;
}

/** To the admin, once a channel is linked. */
export function linkedNotice({
  instanceName,
  channel,
  credits: left,
}: Linking & { credits?: number }): string {
  const balance =
    left === undefined ? 'The balance could not be read right now.' : `Balance: ${credits(left)}`;
  return `✅ *Linked* <#${channel}> to ${quoted(instanceName)}.\n${balance}`;
}

/** To the channel that was linked. */
export function linkedMessage({ by, instanceName, channel }: Linking & { by: string }): Message {
  return message(
    `${mention(by)} linked <#${channel}> to ${quoted(instanceName)}: texts can be sent from here now.\nType \`/sms send\`: you see the cost before you decide.`,
  );
}

/** A channel that somebody wants to unlink. `notice`: why they are asked once more. */
type Unlinking = Linking & UnlinkValue & { notice?: string | undefined };

export const LINKED_AGAIN = 'Somebody has linked this channel again meanwhile.';
export const JOB_BEGAN = 'Another job has begun here meanwhile.';

export function unlinkQuestion({ instanceName, channel, notice, ...about }: Unlinking): Message {
  return message(
    `${notice === undefined ? '' : `${notice}\n`}*Unlink <#${channel}> from ${quoted(instanceName)}?*\n` +
      'No texts can be sent from here any more, and open drafts expire.\n' +
      'The API key stays with the instance.',
    buttons(
      button(ACTIONS.confirmUnlink, 'Unlink: no more texts from here', unlinkValue(about)),
      button(ACTIONS.keepLink, 'Keep it'),
    ),
  );
}

export const LINK_KEPT: Message = message('✅ This channel stays linked.');

/** Asks what to do about jobs of the channel that are running or paused. */
export function unlinkWithJobsQuestion({
  instanceName,
  channel,
  jobs,
  notice,
  ...about
}: Unlinking & { jobs: number }): Message {
  const them = jobs === 1 ? 'it' : 'them';
  const value = unlinkValue(about);
  return message(
    `${notice === undefined ? '' : `${notice}\n`}*Unlink <#${channel}> from ${quoted(instanceName)}?*\n` +
      `${plural(jobs, 'job')} from here ${jobs === 1 ? 'is' : 'are'} still running or paused.\n` +
      `*Stop* cancels the rest for good. Waiting lets ${them} finish, and no new job begins meanwhile.\n` +
      'Open drafts expire. The API key stays with the instance.',
    buttons(
      button(ACTIONS.stopAndUnlink, `Stop ${plural(jobs, 'job')} and unlink`, value, 'danger'),
      button(
        ACTIONS.unlinkWhenDone,
        jobs === 1 ? 'Unlink when it is done' : 'Unlink when they are done',
        value,
      ),
      button(ACTIONS.keepLink, 'Keep it'),
    ),
  );
}

/** The bot unlinks the channel later by itself: its jobs end first. */
export function unlinkingMessage({
  instanceName,
  stopped,
}: Pick<Linking, 'instanceName'> & { stopped: number }): Message {
  const why =
    stopped > 0
      ? `${plural(stopped, 'job')} stopped.\nThis channel is unlinked from ${quoted(instanceName)} once the texts on the way have their answers.`
      : `This channel is unlinked from ${quoted(instanceName)} once its jobs are done.\nUntil then no new job can begin. A paused job waits for *Resume* or *Stop*.`;
  return message(`${why}\nTo keep it linked after all, type \`/sms link\`.`);
}

/** To the person who unlinked. */
export function unlinkedMessage({
  instanceName,
  drafts,
  stopped = 0,
}: {
  instanceName: string;
  drafts: number;
  stopped?: number;
}): Message {
  const ended =
    stopped === 0 ? '' : `\n${plural(stopped, 'job')} stopped: the texts that were not sent are cancelled.`;
  const expired =
    drafts === 0
      ? ''
      : `\n${plural(drafts, 'open draft')} expired: nothing of ${drafts === 1 ? 'it' : 'them'} was sent.`;
  return message(
    `✅ *Unlinked* from ${quoted(instanceName)}.${ended}${expired}\nThe API key stays with the instance. \`/sms link\` links this channel again.`,
  );
}

/** To the channel that was unlinked. */
export function unlinkedChannelMessage({ by, instanceName }: { by: string; instanceName: string }): Message {
  return message(
    `${mention(by)} unlinked this channel from ${quoted(instanceName)}: no texts can be sent from here any more.`,
  );
}
