import type { Context } from './context.ts';

/** True for the first caller of a key; forgets keys whose time is over. */
export function isFirstTime({ db, now }: Context, key: string, ttlMs: number): boolean {
  const at = now();
  // Not synced: a mark that a power cut takes away costs a second preview, and every command makes one.
  return db.unsynced(() => {
    db.sql('DELETE FROM seen WHERE expires_at <= ?').run(at);
    return (
      db.sql('INSERT OR IGNORE INTO seen (key, expires_at) VALUES (?, ?)').run(key, at + ttlMs).changes > 0
    );
  });
}
