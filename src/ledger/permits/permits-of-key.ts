import type { View } from '../../store/view.ts';
import type { LedgerLimits } from '../model/ledger-limits.ts';
import { type KeyPermits, keyPermits } from './permit-documents.ts';
import { allTaken, withoutExpiredPermits } from './rate-limit.ts';

/** The live permits of a key. If the store has damaged them, nobody knows how many there were: all count as taken. */
export function permitsOfKey(view: View, rateLimitKey: string, limits: LedgerLimits): KeyPermits {
  const found = view.get(keyPermits, rateLimitKey);
  if (!view.isDamaged(keyPermits, rateLimitKey)) return withoutExpiredPermits(found, view.now, limits);
  const taken = allTaken(view.now, limits);
  // Otherwise they would never expire.
  view.put(keyPermits, rateLimitKey, taken);
  return taken;
}
