import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { makeFolder } from '../make-folder.ts';
import { StoreError, unusable } from '../store-error.ts';
import { SCHEMA, SCHEMA_VERSION } from './schema.ts';

/** An open database with its statements prepared once. */
export interface Database {
  raw: DatabaseSync;
  /** The prepared statement of this text, kept for the next call. */
  sql(text: string): StatementSync;
  /** Runs `work` in one IMMEDIATE transaction: all of it is durable when this returns, or none. */
  transaction<T>(work: () => T): T;
  /**
   * Runs `work`, begun outside of a transaction, without waiting for the disk: it outlives the process, but maybe not a
   * power cut.
   */
  unsynced<T>(work: () => T): T;
  close(): void;
}

/**
 * Opens `DATA_DIR/switchboard.db`, creating and upgrading it as needed. WAL with `synchronous=FULL`: an intent is on
 * the disk before its request leaves.
 * @throws StoreError when the folder or file can't be used or was written by a newer version.
 */
export function openDatabase(dataDir: string): Database {
  const file = join(dataDir, 'switchboard.db');
  let raw: DatabaseSync | undefined;
  try {
    makeFolder(dataDir);
    raw = new DatabaseSync(file, { timeout: 5000 });
    raw.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;');
    const database = withStatements(raw);
    upgrade(database, file);
    return database;
  } catch (error) {
    raw?.close();
    if (error instanceof StoreError) throw error;
    throw unusable(file, error);
  }
}

function withStatements(raw: DatabaseSync): Database {
  const statements = new Map<string, StatementSync>();
  return {
    raw,
    sql(text) {
      let statement = statements.get(text);
      if (!statement) {
        statement = raw.prepare(text);
        statements.set(text, statement);
      }
      return statement;
    },
    transaction(work) {
      // A ROLLBACK that failed before must not refuse every step from now on.
      if (raw.isTransaction) raw.exec('ROLLBACK');
      raw.exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        raw.exec('COMMIT');
        return result;
      } catch (error) {
        // A full disk may have rolled back already; a second ROLLBACK would hide the first error.
        if (raw.isTransaction) raw.exec('ROLLBACK');
        throw error;
      }
    },
    unsynced(work) {
      // Within a transaction that a failed ROLLBACK left open it can't be changed.
      if (raw.isTransaction) raw.exec('ROLLBACK');
      raw.exec('PRAGMA synchronous=NORMAL');
      try {
        return work();
      } finally {
        if (raw.isTransaction) raw.exec('ROLLBACK');
        raw.exec('PRAGMA synchronous=FULL');
      }
    },
    close: () => raw.close(),
  };
}

function upgrade(database: Database, file: string): void {
  database.transaction(() => {
    const { user_version: version } = database.raw.prepare('PRAGMA user_version').get() as {
      user_version: number;
    };
    if (version > SCHEMA_VERSION) {
      throw new StoreError(
        'newer',
        `${file} was written by a newer version of Switchboard (format ${version}, this one knows ${SCHEMA_VERSION}): run that version, or restore a backup from before the upgrade.`,
      );
    }
    for (const step of SCHEMA.slice(version)) database.raw.exec(step);
    database.raw.exec(`PRAGMA user_version=${SCHEMA_VERSION}`);
  });
}
