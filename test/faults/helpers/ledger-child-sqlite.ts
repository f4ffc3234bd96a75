import { createSqliteLedger } from '../../../src/store/sqlite/ledger.ts';
import { lockDataDir } from '../../../src/store/sqlite/lock.ts';
import { type Database, openDatabase } from '../../../src/store/sqlite/open.ts';
import type { ChildStore, Strike } from './ledger-child.ts';

/** The embedded engine, which can be struck before every write: also within a step, between one write and the next. */
export function openForChild(dataDir: string, leaseMs: number, strike: Strike): ChildStore {
  lockDataDir(dataDir);
  let isRecovery = false;
  const db = tellingOfWrites(openDatabase(dataDir), () =>
    strike(isRecovery ? 'within recovery' : 'within a step'),
  );
  const ledger = createSqliteLedger(db, { permits: 1000, windowMs: 60_000, leaseMs, timeoutMs: 15_000 });
  return {
    ledger,
    async takeOver() {
      isRecovery = true;
      ledger.takeOver();
      isRecovery = false;
      const left = db.raw.prepare("SELECT count(*) AS n FROM chunks WHERE state = 'sending'").get();
      if (left?.n !== 0) throw new Error('something of a dead boot is still sending');
    },
    recover: ledger.recover,
  };
}

function tellingOfWrites(db: Database, tell: () => void): Database {
  const told = new Set<string>();
  return {
    ...db,
    sql(text) {
      const statement = db.sql(text);
      if (told.has(text)) return statement;
      told.add(text);
      const write = statement.run.bind(statement) as typeof statement.run;
      statement.run = ((...values: Parameters<typeof write>) => {
        tell();
        return write(...values);
      }) as typeof statement.run;
      return statement;
    },
  };
}
