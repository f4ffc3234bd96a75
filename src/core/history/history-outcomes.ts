import type { ChunkState, UnsentFor } from '../../ledger/model/outcome-types.ts';
import type { Tally } from '../../ledger/model/send-record.ts';
import { countsOf } from '../jobs/read-job.ts';

/**
 * Outcomes of messages, as people look for them.
 * - `other_status`: the service took it with a status of its own;
 * - `opted_out`: not sent, since the number was opted out;
 * - `repeated`: not sent, since another send brought the same words to the number;
 * - `undone`: not sent, since somebody pressed Undo.
 */
export const HISTORY_OUTCOMES = [
  'under_way',
  'sent',
  'other_status',
  'rejected',
  'not_sent',
  'opted_out',
  'repeated',
  'undone',
  'unknown',
  'cancelled',
] as const;
export type HistoryOutcome = (typeof HISTORY_OUTCOMES)[number];

/** How many messages have each outcome. */
export type OutcomeCounts = { [outcome in HistoryOutcome]: number };

/** A send's messages, by what became of them. */
export function outcomeCounts(tally: Tally): OutcomeCounts {
  const { left, sent, rejected, notSent, optedOut, repeated, unknown, cancelled, otherStatuses } =
    countsOf(tally);
  const others = Object.values(otherStatuses).reduce((sum, messages) => sum + messages, 0);
  return {
    under_way: left,
    sent,
    other_status: others,
    rejected,
    not_sent: notSent,
    opted_out: optedOut,
    repeated,
    undone: tally.barred.undone ?? 0,
    unknown,
    cancelled,
  };
}

/** What became of one message. */
export function outcomeOfMessage(message: {
  state: Exclude<ChunkState, 'split'>;
  otherStatus?: string | undefined;
  barredFor?: UnsentFor | undefined;
}): HistoryOutcome {
  const { state, otherStatus, barredFor } = message;
  if (otherStatus !== undefined) return 'other_status';
  if (barredFor !== undefined) return barredFor;
  return state === 'pending' || state === 'sending' ? 'under_way' : state;
}
