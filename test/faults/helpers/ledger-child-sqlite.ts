import { createLedger } from '../../../src/ledger/create-ledger.ts';
import { createSqliteEngine } from '../../../src/store/sqlite/engine.ts';
import { lockDataDir } from '../../../src/store/sqlite/lock.ts';
import { type Database, openDatabase } from '../../../src/store/sqlite/open.ts';
import { createSteps } from '../../../src/store/steps.ts';
import type { ChildStore, StrikeCall } from './ledger-child.ts';
import { type Call, tellingOfCalls } from './telling-engine.ts';

/** The embedded engine. A kill can strike before and after each call, and before every write of its transaction. */
export function openForChild(dataDir: string, leaseMs: number): ChildStore {
  lockDataDir(dataDir);
  const db = openDatabase(dataDir);
  let tell = () => {};
  tellOfWrites(db, () => tell());
  const limits = { permits: 1000, windowMs: 60_000, leaseMs, timeoutMs: 15_000 };
  function ledgerTelling(strike: StrikeCall) {
    const noted = (call: Call) => {
      // A transaction runs before its engine call returns, so these writes belong to the last call.
      tell = () => strike(call);
      strike(call);
    };
    return createLedger(createSteps(tellingOfCalls(createSqliteEngine(db), noted)), limits);
  }
  return {
    ledgerTelling,
    async takeOver(ledger) {
      await ledger.takeOver();
      for (const { id } of await ledger.openSends('i1')) {
        const { states } = await ledger.tally(id);
        if (states.sending.chunks > 0) throw new Error('something of a dead boot is still sending');
      }
    },
  };
}

function tellOfWrites({ raw }: Database, tell: () => void): void {
  const prepare = raw.prepare.bind(raw);
  raw.prepare = (...asked) => {
    const statement = prepare(...asked);
    const write = statement.run.bind(statement) as typeof statement.run;
    statement.run = ((...values: Parameters<typeof write>) => {
      tell();
      return write(...values);
    }) as typeof statement.run;
    return statement;
  };
}
