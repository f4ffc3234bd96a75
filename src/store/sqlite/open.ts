import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { makeFolder } from '../make-folder.ts';
import { StoreError, StoreTroubleError, unusable, unusableFile } from '../store-error.ts';

/** An open database with its statements prepared once. */
export type Database = ReturnType<typeof withStatements>;

/**
 * Opens `DATA_DIR/switchboard.db`, or creates it unless it `mustExist`. WAL with `synchronous=FULL`: an intent is on the
 * disk before the bot sends its request. With `secure_delete` SQLite overwrites what it deletes.
 * @throws StoreError when the folder or file can't be used, or the file is empty: SQLite would take it for a new one
 */
export function openDatabase(dataDir: string, { mustExist = false } = {}): Database {
  const file = join(dataDir, 'switchboard.db');
  const url = pathToFileURL(file);
  if (mustExist) url.searchParams.set('mode', 'rw');
  const sizeNow = () => statSync(file, { throwIfNoEntry: false })?.size;
  let isNew = false;
  let raw: DatabaseSync | undefined;
  try {
    makeFolder(dataDir);
    const size = sizeNow();
    if (size === 0) throw emptyFile(file);
    isNew = size === undefined && !mustExist;
    raw = new DatabaseSync(url, { timeout: 5000 });
    raw.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA secure_delete=ON;');
    return withStatements(raw, file);
  } catch (error) {
    raw?.close();
    // On a full disk SQLite makes a file without bytes, which the next start would refuse.
    if (isNew && sizeNow() === 0) rmSync(file);
    throw error instanceof StoreError ? error : unusableFile(file, error);
  }
}

/** A bot that took it for a new database would forget what it was sending, and all opt-outs. */
function emptyFile(file: string): StoreError {
  return unusable(
    `${file} has no bytes, as a copy onto a full disk: put a backup back (see Backup in docs/operating.md), or delete the file to begin with an empty database.`,
  );
}

function withStatements(raw: DatabaseSync, file: string) {
  const inode = () => statSync(file, { throwIfNoEntry: false })?.ino;
  const opened = inode();
  /** SQLite would go on writing to a file that nobody finds any more. */
  function throwIfReplaced(): void {
    let found: number | undefined;
    try {
      found = inode();
    } catch (cause) {
      throw new StoreTroubleError('refused', `The database can't be used: ${file} can't be looked at.`, {
        cause,
      });
    }
    if (found === opened) return;
    throw new StoreTroubleError(
      'replaced',
      `${file} was moved, removed or replaced while the bot used it, so nothing is sent: if you moved it, move it back; otherwise see "The database's file is gone" in docs/operating.md.`,
    );
  }
  const statements = new Map<string, StatementSync>();
  /** The prepared statement for this text. */
  function sql(text: string): StatementSync {
    let statement = statements.get(text);
    if (!statement) {
      statement = raw.prepare(text);
      statements.set(text, statement);
    }
    return statement;
  }
  function between<T>(begin: string, work: () => T): T {
    // A ROLLBACK that failed before must not refuse every step from now on.
    if (raw.isTransaction) raw.exec('ROLLBACK');
    sql(begin).run();
    try {
      const result = work();
      sql('COMMIT').run();
      return result;
    } catch (error) {
      // A full disk may have rolled back already; a second ROLLBACK would hide the first error.
      if (raw.isTransaction) raw.exec('ROLLBACK');
      throw error;
    }
  }
  return {
    raw,
    sql,
    /**
     * Runs `work` in one IMMEDIATE transaction: all of it is durable when this returns, or none.
     * @throws StoreTroubleError `replaced` if the file is another one than was opened
     */
    transaction<T>(work: () => T): T {
      throwIfReplaced();
      return between('BEGIN IMMEDIATE', work);
    },
    /** Runs `work`, which only reads: all of it sees one moment. */
    snapshot: <T>(work: () => T): T => between('BEGIN', work),
    /** Runs `work` outside of a transaction. A power cut may undo its writes; the end of the process does not. */
    unsynced<T>(work: () => T): T {
      // A failed ROLLBACK may have left a transaction open, and within it the PRAGMA changes nothing.
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
