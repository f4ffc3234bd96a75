import type { DatabaseSync } from 'node:sqlite';
import type { IndexEntry, IndexName, IndexRange } from '../store.ts';
import type { Database } from './open.ts';

export const PAGE = 100;

/** Returns a collection's table, made at its first use: call it before a transaction, which may be rolled back. */
export function createTables(raw: DatabaseSync) {
  const tables = new Map<string, ReturnType<typeof makeTable>>();
  return ({ collection }: { collection: string }) => {
    let table = tables.get(collection);
    if (!table) {
      table = makeTable(raw, collection);
      tables.set(collection, table);
    }
    return table;
  };
}

/** A collection's table, with its statements. No person chooses the name of a collection. */
function makeTable(raw: DatabaseSync, collection: string) {
  const name = `"d_${collection}"`;
  raw.exec(
    `CREATE TABLE IF NOT EXISTS ${name} (id TEXT PRIMARY KEY, version TEXT NOT NULL, value TEXT NOT NULL) STRICT`,
  );
  return {
    find: raw.prepare(`SELECT version, value FROM ${name} WHERE id = ?`),
    version: raw.prepare(`SELECT version FROM ${name} WHERE id = ?`),
    put: raw.prepare(
      `INSERT INTO ${name} (id, version, value) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET version = excluded.version, value = excluded.value`,
    ),
    remove: raw.prepare(`DELETE FROM ${name} WHERE id = ?`),
    /** The next rows after this one. */
    page: raw.prepare(
      `SELECT rowid, id, version, value FROM ${name} WHERE rowid > ? ORDER BY rowid LIMIT ${PAGE}`,
    ),
  };
}

/** The one table with the entries of all indexes. */
export function createEntries(db: Database) {
  db.raw.exec(
    'CREATE TABLE IF NOT EXISTS entries (name TEXT, key TEXT, id TEXT, PRIMARY KEY (name, key, id)) STRICT, WITHOUT ROWID',
  );
  const add = db.sql('INSERT OR IGNORE INTO entries (name, key, id) VALUES (?, ?, ?)');
  const remove = db.sql('DELETE FROM entries WHERE name = ? AND key = ? AND id = ?');
  const inRange = 'SELECT key, id FROM entries WHERE name = ? AND key >= ? AND key < ?';
  const forwards = db.sql(`${inRange} ORDER BY key, id LIMIT ?`);
  const backwards = db.sql(`${inRange} ORDER BY key DESC, id DESC LIMIT ?`);
  return {
    add: (entry: IndexEntry) => add.run(nameOf(entry), entry.key, entry.id),
    remove: (entry: IndexEntry) => remove.run(nameOf(entry), entry.key, entry.id),
    list(range: IndexRange): { id: string; key: string }[] {
      const { from, to, limit = -1, isReverse = false } = range;
      const rows = (isReverse ? backwards : forwards).all(nameOf(range), from, to, limit);
      return rows.map(({ id, key }) => ({ id: String(id), key: String(key) }));
    },
  };
}

function nameOf({ collection, index }: IndexName): string {
  return `${collection}.${index}`;
}
