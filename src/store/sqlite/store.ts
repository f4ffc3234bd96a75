import { createCipher } from '../encryption.ts';
import type { LedgerLimits } from '../ledger.ts';
import { createRecords, type RecordStores } from '../records.ts';
import type { RecordsOptions, Store } from '../store.ts';
import { createSqliteCommit } from './commit.ts';
import { createSqliteKeyv } from './keyv.ts';
import { createSqliteLedger } from './ledger.ts';
import { lockDataDir } from './lock.ts';
import { type Database, openDatabase } from './open.ts';
import { patient } from './patient.ts';

/**
 * Opens the embedded store for the one bot of this folder and takes over what a bot before it left.
 * @throws StoreError when another bot holds the folder, or the folder or file can't be used
 */
export function openStore(options: RecordsOptions & { limits: LedgerLimits }): Store {
  const lock = lockDataDir(options.dataDir);
  try {
    const opened = openRecords(options);
    const ledger = createSqliteLedger(opened.db, options.limits);
    ledger.takeOver();
    // From here on nothing may wait for another program's lock in the event loop: the steps are patient themselves.
    opened.db.raw.exec('PRAGMA busy_timeout=0');
    const { now, takeOver: _done, ...steps } = ledger;
    return {
      ledger: { now, ...patient(steps) },
      records: opened.records,
      cipher: opened.cipher,
      onReconnect() {},
      close() {
        opened.db.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * Opens the same file beside a bot that may be running, for the operator's commands: it takes nothing over.
 * @throws StoreError when the folder or file can't be used
 */
export function openRecords({ dataDir, encryptionKeys, onDamaged }: RecordsOptions) {
  const db = openDatabase(dataDir);
  const cipher = createCipher(encryptionKeys);
  const records = createRecords({ ...recordStores(db), cipher, onDamaged });
  return { db, cipher, records };
}

/** Where an open database keeps records. */
export function recordStores(db: Database): RecordStores {
  return { storeFor: () => createSqliteKeyv(db.raw), commit: createSqliteCommit(db) };
}
