import { ACTIONS } from '../ids.ts';
import { button, buttons, credits, type Message, mention, message, plural, quoted } from './words.ts';

/** To the admin, once a channel is linked. */
export function linkedNotice({
  instanceName,
  channel,
  credits: left,
}: {
  instanceName: string;
  channel: string;
  credits?: number;
}): string {
  const balance =
    left === undefined ? 'The balance could not be read just now.' : `The balance is ${credits(left)}.`;
  return `*Linked*: texts can be sent from <#${channel}> now, by ${quoted(instanceName)}. ${balance}`;
}

/** To the channel that was linked. */
export function linkedMessage({
  by,
  instanceName,
  channel,
}: {
  by: string;
  instanceName: string;
  channel: string;
}): Message {
  return message(
    `${mention(by)} linked <#${channel}> to ${quoted(instanceName)}: texts can be sent from here now. Type \`/sms send\` and see what one costs before you decide.`,
  );
}

/** Asks before a link goes. */
export function unlinkQuestion({
  instanceName,
  channel,
}: {
  instanceName: string;
  channel: string;
}): Message {
  return message(
    `*Unlink <#${channel}> from ${quoted(instanceName)}?* No texts can be sent from here any more. Open drafts expire; nothing that was ` +
      'sent changes, and the API key stays with the instance.',
    buttons(
      button(ACTIONS.confirmUnlink, 'Unlink: no more texts from here', undefined, 'danger'),
      button(ACTIONS.keepLink, 'Keep it'),
    ),
  );
}

/** **Keep it**. */
export function linkKept(): Message {
  return message('This channel stays linked. Nothing was changed.');
}

/** Unlink is blocked while jobs run. */
export function jobsRunning(jobs: number): Message {
  return message(
    `This channel stays linked: ${plural(jobs, 'job')} from here ${jobs === 1 ? 'is' : 'are'} still running. ` +
      'Stop or finish them first, then type `/sms unlink` again.',
  );
}

/** To the person who unlinked. */
export function unlinkedMessage({ instanceName, drafts }: { instanceName: string; drafts: number }): Message {
  const expired =
    drafts === 0
      ? ''
      : ` ${plural(drafts, 'open draft')} expired: nothing of ${drafts === 1 ? 'it' : 'them'} was sent.`;
  return message(
    `*Unlinked* from ${quoted(instanceName)}.${expired} The API key stays with the instance; \`/sms link\` links this channel again.`,
  );
}

/** To the channel that was unlinked. */
export function unlinkedChannelMessage({ by, instanceName }: { by: string; instanceName: string }): Message {
  return message(
    `${mention(by)} unlinked this channel from ${quoted(instanceName)}: no texts can be sent from here any more.`,
  );
}
