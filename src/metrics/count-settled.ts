import type { Settlement } from '../ledger/model/attempt-types.ts';
import type { ChunkRecord } from '../ledger/model/chunk-record.ts';
import type { SettledMessages } from './metrics.ts';

/** How many messages an answer ended, by outcome. `chunk` is the chunk after the answer. */
export function countSettled(chunk: ChunkRecord, settlement: Settlement): SettledMessages {
  const counts: SettledMessages = {
    sent: 0,
    rejected: 0,
    not_sent: 0,
    unknown: 0,
    creditsUsed: 'receipt' in settlement ? settlement.receipt.creditsUsed : 0,
  };
  if (settlement.to === 'resolved_per_message') {
    for (const { state, messages } of settlement.parts) counts[state] += messages.length;
    return counts;
  }
  const { state, messages } = chunk;
  if (state === 'sent' || state === 'rejected' || state === 'not_sent' || state === 'unknown') {
    counts[state] += messages.length;
  }
  return counts;
}
