import { createSqliteEngine } from '../../store/sqlite/engine.ts';
import type { Database } from '../../store/sqlite/open.ts';
import { StoreError, unusable } from '../../store/store-error.ts';
import { FIRST_IN_SQLITE, OLDEST_IN_SQLITE, SQLITE_FORMAT } from './formats.ts';
import { OLD_TABLES, readOldTables } from './old-sqlite.ts';
import { OLD_NAMES, rewriteDocuments } from './rewrite-documents.ts';
import { writeFromOld } from './write-from-old.ts';

/**
 * During an upgrade, the format is this times the new one, plus the old one. All earlier versions take it for a newer
 * format. Upgrades to format 12 and before used this plus the old one.
 */
const UNDER_WAY = 1000;

/**
 * Whether the format is older. A new database gets today's.
 * @throws StoreError `newer` if the format is newer, `unusable` if this version can't upgrade it any more
 */
export function isOldFormat(db: Database, file: string): boolean {
  const format = db.transaction(() => {
    if (formatOf(db) === 0) setFormat(db, SQLITE_FORMAT);
    return formatOf(db);
  });
  if (format < OLDEST_IN_SQLITE) {
    throw unusable(
      `${file} was written by a version of Switchboard before 22 November 2026 (format ${format}, this one upgrades ${OLDEST_IN_SQLITE} and later): start the version of 25 November 2026 once, then this one.`,
    );
  }
  if (format <= SQLITE_FORMAT) return format < SQLITE_FORMAT;
  const [to, from] = [Math.floor(format / UNDER_WAY), format % UNDER_WAY];
  if (to > 0 && to <= SQLITE_FORMAT && from < SQLITE_FORMAT) return true;
  throw new StoreError(
    'newer',
    `${file} was written by a newer version of Switchboard (format ${format}, this one knows ${SQLITE_FORMAT}): run that version, or restore a backup from before the upgrade.`,
  );
}

/**
 * Upgrades a database to today's format. Call it only while no bot uses the folder. An upgrade that was cut short begins
 * again. The last step drops old tables. Documents change in place, so earlier versions refuse the database meanwhile.
 */
export async function upgradeDatabase(db: Database): Promise<void> {
  const from = formatOf(db) % UNDER_WAY;
  if (from < FIRST_IN_SQLITE) db.transaction(() => dropTables(db, namesOfDocuments(db)));
  const engine = createSqliteEngine(db);
  if (from < FIRST_IN_SQLITE) await writeFromOld(readOldTables(db), engine);
  else setFormat(db, UNDER_WAY * SQLITE_FORMAT + from);
  await rewriteDocuments(engine, async () => db.transaction(() => db.raw.exec('DELETE FROM entries')));
  db.transaction(() => {
    if (from < FIRST_IN_SQLITE) dropTables(db, OLD_TABLES);
    for (const name of Object.values(OLD_NAMES)) dropTables(db, [`d_${name}`]);
    setFormat(db, SQLITE_FORMAT);
  });
}

function formatOf(db: Database): number {
  return Number(db.raw.prepare('PRAGMA user_version').get()?.user_version);
}

function setFormat(db: Database, format: number): void {
  db.raw.exec(`PRAGMA user_version=${format}`);
}

/** The tables that an upgrade left behind when it was cut short. */
function namesOfDocuments(db: Database): string[] {
  const rows = db.raw
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND (name GLOB 'd_*' OR name = 'entries')")
    .all();
  return rows.map(({ name }) => String(name));
}

function dropTables(db: Database, names: string[]): void {
  for (const name of names) db.raw.exec(`DROP TABLE "${name}"`);
}
