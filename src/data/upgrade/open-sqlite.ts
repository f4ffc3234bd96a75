import { join } from 'node:path';
import { lockDataDir } from '../../store/sqlite/lock.ts';
import { type Database, openDatabase } from '../../store/sqlite/open.ts';
import { StoreError, unusableFile } from '../../store/store-error.ts';
import { isOldFormat, upgradeDatabase } from './upgrade-sqlite.ts';

/**
 * Opens the database of a folder in today's format, for whoever holds the folder's lock.
 * @throws StoreError when the folder or file can't be used, or a newer version wrote it
 */
export function openHoldingLock(dataDir: string): Promise<Database> {
  return open(dataDir, (db) => upgradeDatabase(db));
}

/**
 * As `openHoldingLock`, for those who don't hold the lock.
 * @throws StoreError `locked`, too, where it is of an older format and a bot is using it
 */
export function openWithoutLock(dataDir: string): Promise<Database> {
  return open(dataDir, async (db, file) => {
    const lock = lockFor(dataDir, file);
    try {
      if (isOldFormat(db, file)) await upgradeDatabase(db);
    } finally {
      lock.release();
    }
  });
}

async function open(
  dataDir: string,
  upgrade: (db: Database, file: string) => Promise<void>,
): Promise<Database> {
  const db = openDatabase(dataDir);
  const file = join(dataDir, 'switchboard.db');
  try {
    if (isOldFormat(db, file)) await upgrade(db, file);
    return db;
  } catch (error) {
    db.close();
    throw error instanceof StoreError ? error : unusableFile(file, error);
  }
}

function lockFor(dataDir: string, file: string): { release(): void } {
  try {
    return lockDataDir(dataDir, 0);
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'locked') throw error;
    throw new StoreError(
      'locked',
      `${file} is of an older version, and a bot is using it: stop that bot, start the new version, and try again.`,
      { cause: error },
    );
  }
}
