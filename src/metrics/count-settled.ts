import type { Settlement } from '../ledger/model/attempt-types.ts';
import type { ChunkRecord } from '../ledger/model/chunk-record.ts';
import type { ChunkState } from '../ledger/model/outcome-types.ts';
import type { SettledMessages } from './metrics.ts';

/** Whether a state is an outcome of its messages. Messages in another state are counted later. */
const IS_COUNTED: { [state in ChunkState]: state extends keyof SettledMessages ? true : false } = {
  pending: false,
  sending: false,
  sent: true,
  rejected: true,
  not_sent: true,
  unknown: true,
  cancelled: false,
  split: false,
};

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
  if (isCounted(state)) counts[state] += messages.length;
  return counts;
}

function isCounted(state: ChunkState): state is ChunkState & keyof SettledMessages {
  return IS_COUNTED[state];
}
