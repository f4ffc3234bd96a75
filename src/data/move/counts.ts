import type { SendDocument } from '../../ledger/model/send-documents.ts';
import type { KeyPermits } from '../../ledger/permits/permit-documents.ts';

/** How much of everything there is, as people call it. */
export type StoreCounts = { [kind in Kind]: number };
type Kind =
  | 'records'
  | 'sends'
  | 'chunks'
  | 'permits'
  | 'accounts'
  | 'named states'
  | 'messages to Slack'
  | 'marks of repeats'
  | 'keys that rest';

/** Collections each of whose documents counts as one. */
const ONE_EACH: { [collection: string]: Kind } = {
  sends: 'sends',
  accounts: 'accounts',
  states: 'named states',
  outbox: 'messages to Slack',
  seen: 'marks of repeats',
};

export function emptyStoreCounts(): StoreCounts {
  return {
    records: 0,
    sends: 0,
    chunks: 0,
    permits: 0,
    accounts: 0,
    'named states': 0,
    'messages to Slack': 0,
    'marks of repeats': 0,
    'keys that rest': 0,
  };
}

export function countDocument(counts: StoreCounts, collection: string, value: unknown): void {
  const kind = ONE_EACH[collection];
  if (kind) counts[kind] += 1;
  if (collection === 'sends') counts.chunks += (value as SendDocument).work.chunks;
  if (collection !== 'permits') return;
  const { live, held, restsUntil } = value as KeyPermits;
  counts.permits += live.length + held.length;
  if (restsUntil !== undefined) counts['keys that rest'] += 1;
}
