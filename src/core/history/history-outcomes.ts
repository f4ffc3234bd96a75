import type { ChunkState, Tally, UnsentFor } from '../../ledger/model/types.ts';

/**
 * What became of messages, as people look for it. `other_status`: the service took it with a status of its own.
 * `opted_out`: not sent, since the number was opted out. `repeated`: not sent, since another send brought the same words to the number.
 * `undone`: not sent, since somebody pressed Undo.
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
export function outcomeCounts({ states, otherStatuses, barred }: Tally): OutcomeCounts {
  const { opted_out: optedOut = 0, repeated = 0, undone = 0 } = barred;
  const others = Object.values(otherStatuses).reduce((sum, messages) => sum + messages, 0);
  return {
    under_way: states.pending.messages + states.sending.messages,
    sent: states.sent.messages - others,
    other_status: others,
    rejected: states.rejected.messages,
    not_sent: states.not_sent.messages - optedOut - repeated - undone,
    opted_out: optedOut,
    repeated,
    undone,
    unknown: states.unknown.messages,
    cancelled: states.cancelled.messages,
  };
}

/** What became of one message. */
export function outcomeOfMessage({
  state,
  otherStatus,
  barredFor,
}: {
  state: Exclude<ChunkState, 'split'>;
  otherStatus?: string | undefined;
  barredFor?: UnsentFor | undefined;
}): HistoryOutcome {
  if (otherStatus !== undefined) return 'other_status';
  if (barredFor !== undefined) return barredFor;
  return state === 'pending' || state === 'sending' ? 'under_way' : state;
}
