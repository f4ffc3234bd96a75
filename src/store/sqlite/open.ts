import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { SCHEMA, SCHEMA_VERSION } from './schema.ts';

/** The embedded store can't be used; `message` is one sentence that says why and what to do. */
export class StoreError extends Error {
  readonly code: 'locked' | 'newer' | 'unusable';

  constructor(code: StoreError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreError';
    this.code = code;
  }
}

/** SQLite's result code for a lock that somebody else holds (sqlite.org/rescode.html#busy). */
const SQLITE_BUSY = 5;

/** An open database with its statements prepared once. */
export interface Database {
  raw: DatabaseSync;
  /** The prepared statement of this text, kept for the next call. */
  sql(text: string): StatementSync;
  /** Runs `work` in one IMMEDIATE transaction: all of it is durable when this returns, or none. */
  transaction<T>(work: () => T): T;
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

/** The locks of this process: one that nothing refers to would be collected as garbage, closed and so freed. */
const HELD = new Set<DatabaseSync>();

/**
 * Makes sure that one bot at a time uses a data folder: holds an exclusive lock on `DATA_DIR/bot.lock` for as long as
 * the process lives. The system frees it even after kill -9.
 * @throws StoreError `locked` when another bot still holds it after `waitMs` milliseconds.
 */
export function lockDataDir(dataDir: string, waitMs = 10_000): { release(): void } {
  const file = join(dataDir, 'bot.lock');
  let lock: DatabaseSync | undefined;
  try {
    makeFolder(dataDir);
    lock = new DatabaseSync(file, { timeout: waitMs });
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock?.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) {
      throw new StoreError(
        'locked',
        `Another bot is using ${dataDir}: stop it first, or give this one a DATA_DIR of its own.`,
        { cause: error },
      );
    }
    throw unusable(file, error);
  }
  const held = lock;
  HELD.add(held);
  return {
    release() {
      HELD.delete(held);
      held.close();
    },
  };
}

/** As `mkdir -p`. Node's own never returns where a file system answers ENOENT to every mkdir, as /proc does. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it in between.
    if (!existsSync(folder)) throw error;
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

function unusable(file: string, cause: unknown): StoreError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new StoreError(
    'unusable',
    `${file} can't be used (${reason}): DATA_DIR must be a local folder that the bot can write to, with space left, and nothing is sent without it.`,
    { cause },
  );
}
