import {
  type Address,
  type Change,
  type CommitResult,
  type Engine,
  type IndexRange,
  outcomeOf,
  type Snapshot,
  type StoredDocument,
  throwIfPast,
} from '../store.ts';
import { retryWhileBusy } from './busy-retry.ts';
import { createSteadyClock } from './clock.ts';
import type { Database } from './open.ts';
import { createEntries, createTables, PAGE } from './tables.ts';

/**
 * Documents in one SQLite file, for one process. Each collection has a table, and the entries of all indexes share one.
 * `now` is the store's clock, in whole ms since 1970.
 */
export function createSqliteEngine(db: Database, now: () => number = createSteadyClock()): Engine {
  const tableOf = createTables(db.raw);
  const entries = createEntries(db);
  // From now on SQLite must not wait for another program's lock in the event loop: `retryWhileBusy` does.
  db.raw.exec('PRAGMA busy_timeout=0');

  function find(address: Address): StoredDocument | undefined {
    const row = tableOf(address).find.get(address.id);
    return row && { version: String(row.version), text: String(row.value) };
  }

  function versionAt(address: Address): string | undefined {
    const row = tableOf(address).version.get(address.id);
    return row && String(row.version);
  }

  function reading(addresses: Address[], ranges: IndexRange[]): Snapshot {
    return {
      now: now(),
      documents: addresses.map(find),
      ranges: ranges.map((range) =>
        entries.list(range).map(({ id, key }) => ({
          ...{ id, key },
          stored: find({ collection: range.collection, id }),
        })),
      ),
    };
  }

  /** Call it in a transaction. */
  function commit(change: Change): CommitResult {
    const time = now();
    const outcome = outcomeOf(change, time, versionAt);
    if (outcome === 'late' || outcome === 'conflict') {
      const addresses = change.expected.map(({ address }) => address);
      return { outcome, reading: reading(addresses, []) };
    }
    if (outcome === 'new') write(change);
    return { outcome: 'ok', now: time };
  }

  function write({ puts, deletes, entries: { added, removed } }: Change): void {
    for (const { address, stored } of puts) {
      tableOf(address).put.run(address.id, stored.version, stored.text);
    }
    for (const address of deletes) tableOf(address).remove.run(address.id);
    for (const entry of removed) entries.remove(entry);
    for (const entry of added) entries.add(entry);
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
