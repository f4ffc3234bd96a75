import type { LedgerLimits } from '../ledger.ts';
import type { Reading } from './reading.ts';
import type { Runner } from './run.ts';

/** What every part of the engine works with. */
export interface Context {
  runner: Runner;
  limits: LedgerLimits;
  /** What attempts of this process began with, by token: most of them are settled with nothing moved in between. */
  begun: Map<string, Reading>;
}
