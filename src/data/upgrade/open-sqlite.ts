import { type Database, openDatabase } from '../../store/sqlite/open.ts';
import { StoreError, unusable, unusableFile } from '../../store/store-error.ts';
import { databaseNames } from '../move/refuse-moved.ts';
import { isOldFormat, upgradeDatabase } from './upgrade-sqlite.ts';

/**
 * Opens the database of a folder, and upgrades an older format. Call it without `refuseOld` only while holding the
 * folder's lock.
 * @throws StoreError if the folder or file can't be used, or a newer version wrote it; with `refuseOld` also an older one
 */
export async function openUpgraded(
  dataDir: string,
  { refuseOld = false, mustExist = false } = {},
): Promise<Database> {
  const db = openDatabase(dataDir, { mustExist });
  const { file } = databaseNames(dataDir);
  try {
    if (!isOldFormat(db, file)) return db;
    if (refuseOld) {
      throw unusable(
        `${file} is of an older version of Switchboard: stop its bot, start one of this version, and try again. Nothing was changed.`,
      );
    }
    await upgradeDatabase(db);
    return db;
  } catch (error) {
    db.close();
    throw error instanceof StoreError ? error : unusableFile(file, error);
  }
}
