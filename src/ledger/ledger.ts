import type { createLedger } from './create-ledger.ts';

/**
 * The ledger: what may be sent, what is being sent, what became of it. Each part has a folder. `create-ledger.ts` lists
 * all methods; what a method promises stands where its step is written. One contract suite
 * (`test/ledger/ledger.contract.ts`) tests them on each engine.
 *
 * All times are milliseconds since 1970 by the store's own clock. Every method is one atomic step, durable when it
 * resolves. A method that throws may or may not have happened; `take`, `settle` and whatever else ends an attempt can
 * be asked for again with the same token.
 */
export type Ledger = Omit<ReturnType<typeof createLedger>, 'takeOver'>;
