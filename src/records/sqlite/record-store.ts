import { createBusyRetryQueue, retryWhileBusy } from '../../store/sqlite/busy-retry.ts';
import type { Database } from '../../store/sqlite/open.ts';
import type { RecordStore } from '../record-store.ts';

const PAGE = 100;
const LAST = '\u{10FFFF}';

/** Records as rows of the table `kv` of an open database. */
export function createSqliteRecords(db: Database): RecordStore {
  db.raw.exec(`CREATE TABLE IF NOT EXISTS kv (
    namespace TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, expires INTEGER,
    PRIMARY KEY (namespace, key)
  ) STRICT, WITHOUT ROWID`);
  const inTurn = createBusyRetryQueue();

  function find(namespace: string, key: string): string | undefined {
    const row = db.sql('SELECT value FROM kv WHERE namespace = ? AND key = ?').get(namespace, key);
    return row && String(row.value);
  }

  return {
    read: (namespace, keys) => retryWhileBusy(() => keys.map((key) => find(namespace, key))),
    async *pages(namespace, group) {
      const page = db.sql(
        `SELECT key, value FROM kv WHERE namespace = ? AND key > ? AND key < ? ORDER BY key LIMIT ${PAGE}`,
      );
      // In the order of bytes, `0` comes right after the slash, and nothing comes after LAST.
      const before = group === undefined ? LAST : `${group}0`;
      for (let after = group === undefined ? '' : `${group}/`; ; ) {
        const rows = await retryWhileBusy(() => page.all(namespace, after, before));
        yield rows.map(({ key, value }) => ({ key: String(key), text: String(value) }));
        const last = rows.at(-1);
        if (last === undefined || rows.length < PAGE) return;
        after = String(last.key);
      }
    },
    commit: (read, written) =>
      inTurn(() =>
        db.transaction(() => {
          if (read.some(({ namespace, key, text }) => find(namespace, key) !== text)) return false;
          for (const { namespace, key, text } of written) {
            if (text === undefined) {
              db.sql('DELETE FROM kv WHERE namespace = ? AND key = ?').run(namespace, key);
            } else {
              db.sql('INSERT OR REPLACE INTO kv (namespace, key, value) VALUES (?, ?, ?)').run(
                namespace,
                key,
                text,
              );
            }
          }
          return true;
        }),
      ),
  };
}
