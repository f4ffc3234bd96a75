import type { DatabaseSync } from 'node:sqlite';
import { throwIfPast } from '../deadline.ts';
import {
  type Address,
  type Change,
  type CommitResult,
  type Engine,
  type IndexRange,
  MAX_CLOCK_SKEW_MS,
  type Snapshot,
  type StoredDocument,
} from '../store.ts';
import { retryWhileBusy } from './busy-retry.ts';
import { createSteadyClock } from './clock.ts';
import type { Database } from './open.ts';

const PAGE = 100;

/**
 * Documents in one SQLite file, for one process: a table for each collection, made at its first use, and one for the
 * entries of all indexes. `now` is the store's clock, in whole ms since 1970.
 */
export function createSqliteEngine(db: Database, now: () => number = createSteadyClock()): Engine {
  const tables = new Map<string, ReturnType<typeof makeTable>>();
  db.raw.exec(
    'CREATE TABLE IF NOT EXISTS entries (name TEXT, key TEXT, id TEXT, PRIMARY KEY (name, key, id)) STRICT, WITHOUT ROWID',
  );
  const addEntry = db.sql('INSERT OR IGNORE INTO entries (name, key, id) VALUES (?, ?, ?)');
  const removeEntry = db.sql('DELETE FROM entries WHERE name = ? AND key = ? AND id = ?');
  const inRange = 'SELECT key, id FROM entries WHERE name = ? AND key >= ? AND key < ?';
  const forwards = db.sql(`${inRange} ORDER BY key, id LIMIT ?`);
  const backwards = db.sql(`${inRange} ORDER BY key DESC, id DESC LIMIT ?`);
  // SQLite must not wait for another program's lock in the event loop: `retryWhileBusy` does.
  db.raw.exec('PRAGMA busy_timeout=0');

  /** Call it before a transaction first: a rollback would take a new table away again. */
  function tableOf({ collection }: { collection: string }) {
    let table = tables.get(collection);
    if (!table) {
      table = makeTable(db.raw, collection);
      tables.set(collection, table);
    }
    return table;
  }

  function find(address: Address): StoredDocument | undefined {
    const row = tableOf(address).find.get(address.id);
    return row && { version: String(row.version), text: String(row.value) };
  }

  function versionAt(address: Address) {
    return tableOf(address).version.get(address.id)?.version;
  }

  function namesIn(range: IndexRange): { id: string; key: string }[] {
    const { from, to, limit = -1, isReverse = false } = range;
    const rows = (isReverse ? backwards : forwards).all(nameOf(range), from, to, limit);
    return rows.map(({ id, key }) => ({ id: String(id), key: String(key) }));
  }

  function reading(addresses: Address[], ranges: IndexRange[]): Snapshot {
    return {
      now: now(),
      documents: addresses.map(find),
      ranges: ranges.map((range) =>
        namesIn(range).map(({ id, key }) => {
          const stored = find({ collection: range.collection, id });
          if (!stored) throw new Error(`the index ${nameOf(range)} names ${id}, which is not there`);
          return { id, key, ...stored };
        }),
      ),
    };
  }

  /** Call it in a transaction. */
  function commit({ expected, puts, deletes, entries, before = Infinity, at }: Change): CommitResult {
    const time = now();
    const isThere = (address: Address, version: string | undefined) => versionAt(address) === version;
    // A version that is there already was written by this very commit.
    if (puts.some(({ address, stored }) => isThere(address, stored.version)))
      return { outcome: 'ok', now: time };
    const isLate = time >= before || Math.abs(time - at) > MAX_CLOCK_SKEW_MS;
    if (isLate || !expected.every(({ address, version }) => isThere(address, version))) {
      const addresses = expected.map(({ address }) => address);
      return { outcome: isLate ? 'late' : 'conflict', reading: reading(addresses, []) };
    }
    for (const { address, stored } of puts) {
      tableOf(address).put.run(address.id, stored.version, stored.text);
    }
    for (const address of deletes) tableOf(address).remove.run(address.id);
    for (const entry of entries.removed) removeEntry.run(nameOf(entry), entry.key, entry.id);
    for (const entry of entries.added) addEntry.run(nameOf(entry), entry.key, entry.id);
    return { outcome: 'ok', now: time };
  }

  return {
    now,
    async read(addresses, ranges, until) {
      throwIfPast(until);
      return retryWhileBusy(() => {
        for (const place of [...addresses, ...ranges]) tableOf(place);
        return db.snapshot(() => reading(addresses, ranges));
      }, until);
    },
    async commit(change, until) {
      throwIfPast(until);
      const { expected, puts, deletes } = change;
      return retryWhileBusy(() => {
        for (const { address } of [...expected, ...puts]) tableOf(address);
        for (const address of deletes) tableOf(address);
        const inTransaction = () => db.transaction(() => commit(change));
        return change.isSynced ? inTransaction() : db.unsynced(inTransaction);
      }, until);
    },
    async *documents(collection) {
      for (let after = 0; ; ) {
        const rows = await retryWhileBusy(() => tableOf({ collection }).page.all(after));
        yield rows.map(({ id, version, value }) => ({
          id: String(id),
          version: String(version),
          text: String(value),
        }));
        if (rows.length < PAGE) return;
        after = Number(rows.at(-1)?.rowid);
      }
    },
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

function nameOf({ collection, index }: { collection: string; index: string }): string {
  return `${collection}.${index}`;
}
