import type { Collection } from '../../store/collection.ts';
import type { View } from '../../store/view.ts';
import type { ChunkRef } from '../model/chunk-record.ts';
import type { LedgerLimits } from '../model/ledger-limits.ts';
import { allTaken, withoutExpiredPermits } from './rate-limit.ts';

/** The permit of a request on its way. `attempt`: the chunk, if the request carries one. */
export interface HeldPermit {
  token: string;
  until: number;
  attempt?: ChunkRef;
}

/** The permits of one key. Times are ms by the store's clock. */
export interface KeyPermits {
  /** Permits of settled requests: until when each still counts. */
  live: number[];
  /** Permits of requests on their way. A list: an object whose names are used once takes far longer to copy. */
  held: HeldPermit[];
  restsUntil?: number;
}

export const keyPermits: Collection<KeyPermits> = { name: 'permits', indexes: {}, whenDamaged: 'lost' };

/**
 * The live permits of a key. If the store has damaged them, nobody knows how many there were: all count as taken. Also
 * writes times that it cut: otherwise each look would cut them again, and they would never come.
 */
export function permitsOfKey(view: View, rateLimitKey: string, limits: LedgerLimits): KeyPermits {
  const found = view.get(keyPermits, rateLimitKey);
  const isDamaged = view.isDamaged(keyPermits, rateLimitKey);
  const permits = isDamaged ? allTaken(view.now, limits) : withoutExpiredPermits(found, view.now, limits);
  const isCut = found && found !== permits && lastEndOf(found) > Math.max(view.now, lastEndOf(permits));
  if (isDamaged || isCut) view.put(keyPermits, rateLimitKey, permits);
  return permits;
}

function lastEndOf({ live, held, restsUntil = 0 }: KeyPermits): number {
  return Math.max(restsUntil, ...live, ...held.map(({ until }) => until));
}
