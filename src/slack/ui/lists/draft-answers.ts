import type { JobView } from '../../../core/jobs/job-view.ts';
import { context, type Message, message, typed } from '../blocks.ts';
import { isBeforeStart } from '../limits/undo.ts';
import { LIST_BUTTON } from '../prefill.ts';
import { escaped } from '../safe-text.ts';
import { mention, plural, timeToTheSecond } from '../words.ts';
import { resultsName } from './words-in-files.ts';

/** Messages about a list before it is sent: while we check the list, and after a click on its preview. */

/** Replaces the preview once somebody pressed Send, or approved the list. */
export function bulkSending(view: JobView, now: number): Message {
  const recipients = plural(view.counts.total, 'recipient');
  const { by } = view.approval ?? {};
  const approved = by === undefined ? '' : `✅ *Approved* by ${mention(by)}.\n`;
  const sending = isBeforeStart(view, now)
    ? `⏳ *Sending to ${recipients} starts at ${timeToTheSecond(view.startsAt)}*\nUntil then the card in <#${view.channel}> has *Undo*. After that it shows the progress.`
    : `📤 *Sending to ${recipients}*: the card in <#${view.channel}> shows the progress.`;
  return message(
    `${approved}${sending}\nAt the end you get \`${escaped(resultsName(view))}\` as a direct message.`,
  );
}

/** Replaces the waiting form once the preview is there. */
export const PREVIEW_SHOWN =
  '✅ *Checked*: the preview is in the conversation where you asked, for you only.\nNothing is sent before you press *Send* there.';

/** For somebody who closed the form while we checked their list: why there is no preview. */
export function checkedWithoutForm(sentence: string): Message {
  return message(
    '⚠️ *Your list was checked, and cannot be sent like this.*',
    typed(sentence),
    context('Correct the list, then open the form again.'),
    LIST_BUTTON,
  );
}
