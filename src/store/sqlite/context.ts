import type { LedgerLimits } from '../ledger.ts';
import type { Database } from './open.ts';

/** What every part of the engine works with. `now` is the store's clock, in ms since 1970. */
export interface Context {
  db: Database;
  now(): number;
  limits: LedgerLimits;
}
