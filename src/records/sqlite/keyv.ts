import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { createBusyRetryQueue } from '../../store/sqlite/busy-retry.ts';
import type { RecordStore } from '../namespace.ts';

const PAGE = 100;
const LAST = '\u{10FFFF}';

/**
 * A keyv storage adapter on an open SQLite database. Its records are rows of the table `kv`. Each Keyv needs its own
 * adapter, since keyv sets the adapter's `namespace`. Times to live are in ms. The adapter reads no expired row; a new
 * adapter deletes them. It throws SQLite's errors: give Keyv `throwOnErrors`, or Keyv turns a failed write into `false`.
 */
export function createSqliteKeyv(database: DatabaseSync): RecordStore {
  database.exec(`CREATE TABLE IF NOT EXISTS kv (
    namespace TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, expires INTEGER,
    PRIMARY KEY (namespace, key)
  ) STRICT, WITHOUT ROWID`);
  database.prepare('DELETE FROM kv WHERE expires <= ?').run(Date.now());

  const live = '(expires IS NULL OR expires > ?)';
  const select = database.prepare(`SELECT value FROM kv WHERE namespace = ? AND key = ? AND ${live}`);
  const upsert = database.prepare(
    'INSERT OR REPLACE INTO kv (namespace, key, value, expires) VALUES (?, ?, ?, ?)',
  );
  const remove = database.prepare('DELETE FROM kv WHERE namespace = ? AND key = ?');
  const removeAll = database.prepare('DELETE FROM kv WHERE namespace = ?');
  const page = database.prepare(
    `SELECT key, value FROM kv WHERE namespace = ? AND key > ? AND key < ? AND ${live} ORDER BY key LIMIT ${PAGE}`,
  );

  const inTurn = createBusyRetryQueue();

  const adapter: RecordStore = {
    opts: {},
    namespace: undefined,
    on: () => adapter,
    get: async (key) => read(key),
    getMany: async (keys) => keys.map((key) => read(key)),
    has: async (key) => read(key) !== undefined,
    async set(key: string, value: SQLInputValue, ttl?: number) {
      const expires = ttl === undefined ? null : Date.now() + ttl;
      await inTurn(() => upsert.run(namespace(), key, value, expires));
      return true;
    },
    delete: (key) => inTurn(() => deleteOne(key)),
    async deleteMany(keys) {
      const deleted: boolean[] = [];
      for (const key of keys) deleted.push(await inTurn(() => deleteOne(key)));
      return deleted.every(Boolean);
    },
    async clear() {
      await inTurn(() => removeAll.run(namespace()));
    },
    async *pages(group) {
      // In the order of bytes, `0` comes right after the slash, and nothing comes after LAST.
      const before = group === undefined ? LAST : `${group}0`;
      for (let after = group === undefined ? '' : `${group}/`; ; ) {
        const rows = page.all(namespace(), after, before, Date.now());
        yield rows.map(({ key, value }) => ({ key: String(key), text: String(value) }));
        const last = rows.at(-1);
        if (last === undefined || rows.length < PAGE) return;
        after = String(last.key);
      }
    },
  };

  function namespace(): string {
    return adapter.namespace ?? '';
  }

  function deleteOne(key: string): boolean {
    return remove.run(namespace(), key).changes > 0;
  }

  function read(key: string) {
    return select.get(namespace(), key, Date.now())?.value as never;
  }

  return adapter;
}
