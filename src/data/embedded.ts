import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createLedger } from '../ledger/create-ledger.ts';
import { createCipher } from '../records/encryption.ts';
import { createRecords } from '../records/records.ts';
import { createSqliteRecords } from '../records/sqlite/record-store.ts';
import { retryWhileBusy } from '../store/sqlite/busy-retry.ts';
import { createSqliteEngine } from '../store/sqlite/engine.ts';
import { botRuns, lockDataDir } from '../store/sqlite/lock.ts';
import { createMark } from '../store/sqlite/mark.ts';
import type { Database } from '../store/sqlite/open.ts';
import { createSteps } from '../store/steps.ts';
import { resultCodeOf, StoreTroubleError, unusable, unusableFile } from '../store/store-error.ts';
import type { DataOptions, OpenStore, Scrub } from './data.ts';
import { databaseNames, refuseMoved } from './move/refuse-moved.ts';
import { openUpgraded } from './upgrade/open-sqlite.ts';

/**
 * Opens the embedded store for the one bot of this folder, upgrades it, and takes over an earlier bot's work.
 * @throws StoreError if another bot holds the folder, the folder or file can't be used, or a newer version wrote it
 */
export async function openStore(options: DataOptions): Promise<OpenStore> {
  return open(options, lockDataDir(options.dataDir), { isBot: true });
}

/**
 * Opens the same store for an operator's command, and takes no work over. Creates none: a command in a wrong folder must
 * not look done. A bot may run, unless the command `isAlone`; only then may the store be of an older format.
 * @throws StoreError if there is no file, the folder or file can't be used, or another version wrote it; with `isAlone`
 * `locked` if a bot runs
 */
export async function openForCommand(options: DataOptions, { isAlone = false } = {}) {
  const { dataDir } = options;
  refuseMoved(dataDir);
  const { file } = databaseNames(dataDir);
  if (!existsSync(file)) {
    throw unusable(
      `There is no ${file}, so nothing was done: set DATA_DIR to the bot’s folder, or start the bot once.`,
    );
  }
  const lock = isAlone ? lockDataDir(dataDir, 0, botRuns(dataDir)) : undefined;
  return open(options, lock).catch((error: unknown) => {
    // SQLite refuses a database that a move has renamed while the command waited for its lock.
    refuseMoved(dataDir);
    throw error;
  });
}

/** Opens the store. With the folder's lock, it may upgrade it, and frees the lock when the store closes. */
async function open(
  { dataDir, encryptionKeys, limits, onDamaged }: DataOptions,
  lock: { release(): void } | undefined,
  { isBot = false } = {},
) {
  using opening = new DisposableStack();
  if (lock) opening.defer(lock.release);
  refuseMoved(dataDir);
  // A move may rename the database as a command opens it: no empty one may take its place.
  const db = await openUpgraded(dataDir, { refuseOld: !lock, mustExist: !isBot });
  opening.defer(() => db.close());
  try {
    const cipher = createCipher(encryptionKeys);
    const steps = createSteps(createSqliteEngine(db), undefined, onDamaged);
    const { takeOver, ...ledger } = createLedger(steps, limits);
    const { teamsWithOptOuts } = ledger;
    const records = createRecords({ store: createSqliteRecords(db), cipher, teamsWithOptOuts, onDamaged });
    if (isBot) {
      // SQLite also opens a file that it may only read. A bot could do nothing with that.
      await ledger.tryToWrite(`opened:${randomUUID()}`, 0);
      await takeOver();
    }
    const mark = isBot ? await retryWhileBusy(() => createMark(db, databaseNames(dataDir).mark)) : undefined;
    const opened = opening.move();
    return {
      db,
      cipher,
      records,
      ledger,
      onReconnect() {},
      scrub: sqliteScrub(db),
      sameServerForMs: Infinity,
      isOtherServer: async () => false,
      isOldCopy: mark?.isOldCopy ?? false,
      renewMark: async () => mark?.renew(),
      close: () => opened.dispose(),
    };
  } catch (error) {
    const cause = error instanceof StoreTroubleError ? error.cause : error;
    // Puts SQLite's own errors in words for the person who starts the bot.
    if (resultCodeOf(cause) !== undefined) throw unusableFile(databaseNames(dataDir).file, cause);
    throw error;
  }
}

/** SQLite overwrites a page when it frees it. What its write-ahead log still has goes when the log is cut to nothing. */
export function sqliteScrub(db: Database): Scrub {
  return {
    everyMs: 0,
    // While another program reads the file, SQLite can't cut the log.
    run: async () => db.raw.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0,
  };
}
