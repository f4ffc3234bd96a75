import type { Settlement } from '../ledger/model/attempt-types.ts';
import type { ChunkRecord } from '../ledger/model/chunk-record.ts';
import type { ChunkState } from '../ledger/model/outcome-types.ts';

/** Messages in other states get their outcome later, or the bot never sent them. */
type Counts = { [state in Exclude<ChunkState, 'pending' | 'sending' | 'cancelled' | 'split'>]: number };

/** How many messages an answer gave an outcome, by outcome. The first parameter is the chunk after the answer. */
export function countSettled({ state, messages }: ChunkRecord, settlement: Settlement) {
  const counts: Counts = { sent: 0, rejected: 0, not_sent: 0, unknown: 0 };
  const ended = settlement.to === 'resolved_per_message' ? settlement.parts : [{ state, messages }];
  for (const part of ended) {
    if (part.state in counts) counts[part.state as keyof Counts] += part.messages.length;
  }
  return counts;
}
