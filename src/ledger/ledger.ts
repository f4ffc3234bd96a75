import type { createLedger } from './create-ledger.ts';

/**
 * The ledger: what may be sent, what is being sent, what became of it. Each part has a folder. Its file `…-ledger.ts`
 * lists its methods, and each method's promise stands where the step is written. `create-ledger.ts` joins the parts over
 * any store, and one contract suite (`test/ledger/ledger.contract.ts`) tests them on each engine.
 *
 * All times are milliseconds since 1970 by the store's own clock. Every method is one atomic step, durable when it
 * resolves. A method that throws may or may not have happened; `take`, `settle` and whatever else ends an attempt can
 * be asked for again with the same token.
 */
export type Ledger = Omit<ReturnType<typeof createLedger>, 'takeOver'>;
