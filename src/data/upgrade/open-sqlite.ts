import { lockDataDir } from '../../store/sqlite/lock.ts';
import { type Database, openDatabase } from '../../store/sqlite/open.ts';
import { StoreError, unusableFile } from '../../store/store-error.ts';
import { databaseNames } from '../move/refuse-moved.ts';
import { isOldFormat, upgradeDatabase } from './upgrade-sqlite.ts';

/**
 * Opens the database of a folder, and upgrades an older format. `holdsLock`: the caller holds the folder's lock.
 * @throws StoreError if the folder or file can't be used, or a newer version wrote it. Without the lock, `locked` if a
 * bot uses an older format
 */
export async function openUpgraded(
  dataDir: string,
  { holdsLock }: { holdsLock: boolean },
): Promise<Database> {
  const db = openDatabase(dataDir);
  const { file } = databaseNames(dataDir);
  try {
    if (!isOldFormat(db, file)) return db;
    using closing = new DisposableStack();
    const inUse = `${file} is of an older version, and a bot is using it: stop that bot, start the new version, and try again.`;
    if (!holdsLock) closing.defer(lockDataDir(dataDir, 0, inUse).release);
    // Another process may have upgraded it just before we got the lock.
    if (isOldFormat(db, file)) await upgradeDatabase(db);
    return db;
  } catch (error) {
    db.close();
    throw error instanceof StoreError ? error : unusableFile(file, error);
  }
}
