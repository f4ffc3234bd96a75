import { createBusyRetryQueue } from '../../store/sqlite/busy-retry.ts';
import type { Database } from '../../store/sqlite/open.ts';
import type { Commit } from '../step.ts';

/** Writes records of the table `kv` in one transaction, if the records that were read are unchanged. */
export function createSqliteCommit(db: Database): Commit {
  const inTurn = createBusyRetryQueue();
  const text = (namespace: string, key: string) =>
    db.sql('SELECT value FROM kv WHERE namespace = ? AND key = ?').get(namespace, key)?.value;

  return (read, written) =>
    inTurn(() =>
      db.transaction(() => {
        if (read.some((one) => text(one.namespace, one.key) !== one.text)) return false;
        for (const one of written) {
          if (one.text === undefined) {
            db.sql('DELETE FROM kv WHERE namespace = ? AND key = ?').run(one.namespace, one.key);
          } else {
            db.sql('INSERT OR REPLACE INTO kv (namespace, key, value) VALUES (?, ?, ?)').run(
              one.namespace,
              one.key,
              one.text,
            );
          }
        }
        return true;
      }),
    );
}
