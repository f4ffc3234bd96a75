import type { JobView } from '../../../core/jobs/job-view.ts';
import { context, type Message, message, typed } from '../blocks.ts';
import { isBeforeStart, undoUntil } from '../limits/undo.ts';
import { LIST_BUTTON } from '../prefill.ts';
import { escaped } from '../safe-text.ts';
import { mention, plural } from '../words.ts';
import { resultsName } from './words-in-files.ts';

/** Messages about a list before it is sent: while we check the list, and after a click on its preview. */

/** Where the progress of a confirmed list is, and until when somebody can undo it. */
export function cardShows(view: JobView, now: number): string {
  const undo = isBeforeStart(view, now) ? `, and has ${undoUntil(view)}` : '';
  return `The card in <#${view.channel}> shows the progress${undo}.`;
}

/**
 * Replaces the preview once somebody pressed Send, or approved the list. The words stay true when the list has ended: by
 * then we may not be able to replace them.
 */
export function bulkSending(view: JobView, now: number): Message {
  const { by } = view.approval ?? {};
  const decided = by === undefined ? '*Confirmed*' : `*Approved* by ${mention(by)}`;
  return message(
    `✅ ${decided}: your list to ${plural(view.counts.total, 'recipient')}\n` +
      `${cardShows(view, now)}\n` +
      `At the end you get \`${escaped(resultsName(view))}\` as a direct message.`,
  );
}

/** For somebody who closed the form while we checked their list: why there is no preview. */
export function checkedWithoutForm(sentence: string): Message {
  return message(
    '⚠️ *Your list was checked, and cannot be sent like this.*',
    typed(sentence),
    context('Correct the list, then open the form again.'),
    LIST_BUTTON,
  );
}
