import { createSqliteEngine } from '../../store/sqlite/engine.ts';
import type { Database } from '../../store/sqlite/open.ts';
import { StoreError } from '../../store/store-error.ts';
import { FIRST_IN_SQLITE, SQLITE_FORMAT } from './formats.ts';
import { readOldTables } from './old-sqlite.ts';
import { OLD_NAMES, rewriteDocuments } from './rewrite-documents.ts';
import { OLD_TABLES, TABLE_UPGRADES } from './table-upgrades.ts';
import { writeFromOld } from './write-from-old.ts';

/**
 * While documents are rewritten, the format is this times the one that they get, and the one that they had. To all versions
 * before it is a newer one. Until format 12, it was this and the one that they had.
 */
const UNDER_WAY = 1000;

/** Whether the database is of an older format; an empty one gets today's. @throws StoreError `newer` if it is newer */
export function isOldFormat(db: Database, file: string): boolean {
  const format = db.transaction(() => {
    if (formatOf(db) === 0) setFormat(db, SQLITE_FORMAT);
    return formatOf(db);
  });
  if (format <= SQLITE_FORMAT) return format < SQLITE_FORMAT;
  const [to, from] = [Math.floor(format / UNDER_WAY), format % UNDER_WAY];
  if (to > 0 && to <= SQLITE_FORMAT && from < SQLITE_FORMAT) return true;
  throw new StoreError(
    'newer',
    `${file} was written by a newer version of Switchboard (format ${format}, this one knows ${SQLITE_FORMAT}): run that version, or restore a backup from before the upgrade.`,
  );
}

/**
 * Brings a database to today's format. Call it only while no bot uses the folder. What is cut short begins again. Until
 * the last step, tables are as they were; documents are not, so earlier versions refuse them meanwhile.
 */
export async function upgradeDatabase(db: Database, now?: () => number): Promise<void> {
  const from = formatOf(db) % UNDER_WAY;
  if (from < FIRST_IN_SQLITE) {
    db.transaction(() => {
      for (const step of TABLE_UPGRADES.slice(from - 1)) db.raw.exec(step);
      dropTables(db, namesOfDocuments(db));
      setFormat(db, FIRST_IN_SQLITE - 1);
    });
  }
  const engine = createSqliteEngine(db, now);
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

/** Tables that an upgrade has left that was cut short. */
function namesOfDocuments(db: Database): string[] {
  const rows = db.raw
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND (name GLOB 'd_*' OR name = 'entries')")
    .all();
  return rows.map(({ name }) => String(name));
}

function dropTables(db: Database, names: string[]): void {
  for (const name of names) db.raw.exec(`DROP TABLE "${name}"`);
}
