import { HISTORY_OUTCOMES, type HistoryOutcome } from '../../../core/history/history-outcomes.ts';
import type { HistoryRow, JobRow } from '../../../core/history/history-rows.ts';
import type { SendView } from '../../../core/sends/send-view.ts';
import { namelessList } from '../lists/job-headline.ts';
import { oneLine } from '../safe-text.ts';
import { count, plural } from '../words.ts';

/** The words of the history, as plain text: whoever puts them into mrkdwn escapes them. */

export const OUTCOME_WORDS: { [outcome in HistoryOutcome]: string } = {
  under_way: 'on its way',
  sent: 'sent',
  other_status: 'other status',
  rejected: 'rejected',
  not_sent: 'not sent',
  opted_out: 'not sent: opted out',
  repeated: 'not sent: possible repeat',
  undone: 'not sent: undone',
  unknown: 'unknown',
  cancelled: 'cancelled',
};

/** `not sent`, with the reason if the history counts such texts separately. */
export function notSentWords({ barredFor }: Pick<SendView, 'barredFor'>): string {
  return OUTCOME_WORDS[barredFor ?? 'not_sent'];
}

/** Shorter words, beside a count: all counts share one line. */
const COUNTED_WORDS = {
  ...OUTCOME_WORDS,
  repeated: 'repeated',
  undone: 'undone',
  under_way: 'left',
  opted_out: 'opted-out',
};

/** The recipient: a number, or a list. */
export function recipientWords(row: HistoryRow): string {
  if (row.kind === 'single') return row.number ?? 'number deleted';
  const list = row.file === undefined ? namelessList(row) : oneLine(row.file);
  return `${row.isResend ? 'a resend' : list} · ${plural(row.total, 'text')}`;
}

/** The outcome of a text, or the counts of a job. */
export function outcomeWords(row: HistoryRow): string {
  if (row.kind === 'job') return countWords(row.counts);
  // A person's word, not the service's. The details say whose.
  if (row.saidSent) return 'sent (somebody said so)';
  if (row.otherStatus !== undefined) return `status “${oneLine(row.otherStatus)}”`;
  return OUTCOME_WORDS[row.outcome];
}

/** `118 sent, 2 rejected` */
export function countWords(counts: JobRow['counts']): string {
  const some = HISTORY_OUTCOMES.filter((outcome) => counts[outcome] > 0);
  return (
    some.map((outcome) => `${count(counts[outcome])} ${COUNTED_WORDS[outcome]}`).join(', ') || 'nothing yet'
  );
}
