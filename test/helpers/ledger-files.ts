import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLedger } from '../../src/ledger/create-ledger.ts';
import { createSqliteEngine } from '../../src/store/sqlite/engine.ts';
import { type Database, openDatabase } from '../../src/store/sqlite/open.ts';
import { createSteps } from '../../src/store/steps.ts';
import { dumpSqlite } from './dump-store.ts';
import { expectWhole } from './expect-whole.ts';
import type { OpenLedger } from './ledger-fixtures.ts';
import { whenOver } from './side-by-side.ts';

/** No step may fail because the machine is busy. */
const STEP_MS = 20_000;

/** A new folder that nothing here deletes. */
export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'switchboard-'));
}

/** A new folder, deleted after the test. */
export function tempFolder(): string {
  const folder = newFolder();
  whenOver(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The embedded engine on a file of its own. `reopen` leaves the old connection open, as a kill would, and takes over. */
export const openSqlite: OpenLedger = async ({ limits, clock }) => {
  const folder = newFolder();
  const boots: Database[] = [];
  const boot = async () => {
    const db = openDatabase(folder);
    // Writes need not be synced: a kill loses none, only a power cut could.
    db.raw.exec('PRAGMA synchronous=OFF');
    boots.push(db);
    const ledger = createLedger(createSteps(createSqliteEngine(db, clock.now), STEP_MS), limits);
    await ledger.takeOver();
    await ledger.recover();
    return ledger;
  };
  return {
    ledger: await boot(),
    reopen: boot,
    close: async () => {
      try {
        expectWhole(dumpSqlite(boots[0] as Database));
      } finally {
        for (const db of boots) db.close();
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
};
