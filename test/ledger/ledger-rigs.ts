import { createLedger } from '../../src/ledger/create-ledger.ts';
import { createSteps } from '../../src/store/steps.ts';
import { dumpable } from '../helpers/dump-store.ts';
import { expectWhole } from '../helpers/expect-whole.ts';
import type { OpenLedger } from '../helpers/ledger-fixtures.ts';
import { createMemoryEngine } from '../helpers/memory-engine.ts';

/** No step may fail because the machine is busy. */
const STEP_MS = 20_000;

/** The ledger over documents in memory. `reopen` is another process on the same documents. */
export const openInMemory: OpenLedger = async ({ limits, clock }) => {
  const engine = dumpable(createMemoryEngine(clock.now));
  const boot = async () => {
    const ledger = createLedger(createSteps(engine, STEP_MS), limits);
    await ledger.takeOver();
    await ledger.recover();
    return ledger;
  };
  return { ledger: await boot(), reopen: boot, close: async () => expectWhole(await engine.dump()) };
};
