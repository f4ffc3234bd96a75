import type { createLedger } from './create-ledger.ts';

/**
 * The ledger: which texts may be sent, which are on their way, and what became of them. Each part has a folder.
 * `create-ledger.ts` lists all methods; the step behind a method says what it promises. One contract suite
 * (`test/ledger/ledger.contract.ts`) tests them on each engine.
 *
 * All times are milliseconds since 1970 by the store's own clock. Every method is one atomic step, durable when it
 * resolves. A method that throws may have happened all the same. So a caller may repeat `take`, `settle` and
 * `returnPermit` with the same token.
 */
export type Ledger = Omit<ReturnType<typeof createLedger>, 'takeOver'>;
