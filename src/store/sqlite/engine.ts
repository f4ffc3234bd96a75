import type { DatabaseSync, StatementSync } from 'node:sqlite';
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

/** A collection's table, with what is asked of it. */
interface Table {
  find: StatementSync;
  version: StatementSync;
  put: StatementSync;
  /** Where there is none. */
  insert: StatementSync;
  /** Where it has this version. */
  update: StatementSync;
  remove: StatementSync;
  /** Some more, after a row. */
  page: StatementSync;
}

/** Documents that `documents` hands out at once. */
const PAGE = 100;

/** Thrown where a document is not as expected, or may have been written by this very commit before. */
const CHANGED = new Error('A document is not as expected.');

/**
 * Documents in one SQLite file, for one process: a table a collection, and one for the entries of all indexes. Tables
 * are made when something is first asked of them. `now` is the store's clock, in whole ms since 1970.
 */
export function createSqliteEngine(db: Database, now: () => number = createSteadyClock()): Engine {
  const tables = new Map<string, Table>();
  db.raw.exec(
    'CREATE TABLE IF NOT EXISTS entries (name TEXT, key TEXT, id TEXT, PRIMARY KEY (name, key, id)) STRICT, WITHOUT ROWID',
  );
  const addEntry = db.sql('INSERT OR IGNORE INTO entries (name, key, id) VALUES (?, ?, ?)');
  const removeEntry = db.sql('DELETE FROM entries WHERE name = ? AND key = ? AND id = ?');
  const inRange = 'SELECT key, id FROM entries WHERE name = ? AND key >= ? AND key < ?';
  const forwards = db.sql(`${inRange} ORDER BY key, id LIMIT ?`);
  const backwards = db.sql(`${inRange} ORDER BY key DESC, id DESC LIMIT ?`);
  // Nothing waits for another program's lock in the event loop: each step retries itself.
  db.raw.exec('PRAGMA busy_timeout=0');

  /** Call it before a transaction first: one that is rolled back must not take a new table with it. */
  function tableOf({ collection }: { collection: string }): Table {
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

  function versionAt(address: Address): unknown {
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

  /** Writes all of it; throws CHANGED on the way. One statement both compares a document and writes it. */
  function write({ expected, puts, deletes, entries }: Change): void {
    const versions = new Map(expected.map(({ address, version }) => [addressText(address), version]));
    for (const { address, stored } of puts) {
      const { version, text } = stored;
      const { id } = address;
      const table = tableOf(address);
      const name = addressText(address);
      if (versions.has(name)) {
        const was = versions.get(name);
        const { changes } =
          was === undefined ? table.insert.run(id, version, text) : table.update.run(version, text, id, was);
        if (changes === 0) throw CHANGED;
        versions.delete(name);
      } else {
        if (versionAt(address) === version) throw CHANGED;
        table.put.run(id, version, text);
      }
    }
    for (const { address, version } of expected) {
      if (versions.has(addressText(address)) && versionAt(address) !== version) throw CHANGED;
    }
    for (const address of deletes) tableOf(address).remove.run(address.id);
    for (const entry of entries.removed) removeEntry.run(nameOf(entry), entry.key, entry.id);
    for (const entry of entries.added) addEntry.run(nameOf(entry), entry.key, entry.id);
  }

  function commit(change: Change): CommitResult {
    const { expected, puts, before = Infinity, at } = change;
    const time = now();
    const isLate = time >= before || Math.abs(time - at) > MAX_CLOCK_SKEW_MS;
    try {
      if (!isLate) {
        db.transaction(() => write(change));
        return { outcome: 'ok', now: time };
      }
    } catch (error) {
      if (error !== CHANGED) throw error;
    }
    return db.snapshot(() => {
      const isRepeat = puts.some(({ address, stored }) => versionAt(address) === stored.version);
      if (isRepeat) return { outcome: 'ok', now: time };
      const addresses = expected.map(({ address }) => address);
      return { outcome: isLate ? 'late' : 'conflict', reading: reading(addresses, []) };
    });
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
        return change.isSynced ? commit(change) : db.unsynced(() => commit(change));
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

/** Collections are named in code, not by people. */
function makeTable(raw: DatabaseSync, collection: string): Table {
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
    insert: raw.prepare(`INSERT INTO ${name} (id, version, value) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`),
    update: raw.prepare(`UPDATE ${name} SET version = ?, value = ? WHERE id = ? AND version = ?`),
    remove: raw.prepare(`DELETE FROM ${name} WHERE id = ?`),
    page: raw.prepare(
      `SELECT rowid, id, version, value FROM ${name} WHERE rowid > ? ORDER BY rowid LIMIT ${PAGE}`,
    ),
  };
}

function nameOf({ collection, index }: { collection: string; index: string }): string {
  return `${collection}.${index}`;
}

function addressText({ collection, id }: Address): string {
  return `${collection}/${id}`;
}
