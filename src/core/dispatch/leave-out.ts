import type { BarredFor, ChunkRecord, Settlement } from '../../ledger/types.ts';
import { result } from './settlement.ts';

/** A chunk without the messages at these places, which must not be sent: the rest goes on as a smaller one. */
export function leaveOut({ messages }: ChunkRecord, places: number[], why: BarredFor): Settlement {
  const barred = { result: result({ cause: why }), barredFor: why };
  const kept = messages.filter((_, place) => !places.includes(place));
  if (kept.length === 0) return { to: 'not_sent', request: 'never_started', ...barred };
  return {
    to: 'split',
    request: 'never_started',
    children: [kept],
    leftOut: [{ messages: messages.filter((_, place) => places.includes(place)), ...barred }],
    mostRequests: Number.MAX_SAFE_INTEGER,
    otherwise: { to: 'pending', request: 'never_started', waitMs: 0 },
  };
}
