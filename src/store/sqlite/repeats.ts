import type { Context } from './context.ts';

/** True for the first caller of a key; forgets keys whose time is over. */
export function isFirstTime({ db, now }: Context, key: string, ttlMs: number): boolean {
  const at = now();
  // Not synced: a mark that a power cut takes away costs a second preview, and every command makes one.
  return db.unsynced(() => {
    // A mark that lasts longer than one made now was made before the clock was set back: it would starve the polls.
    db.sql('DELETE FROM seen WHERE expires_at <= ?1 OR (key = ?2 AND expires_at > ?1 + ?3)').run(
      at,
      key,
      ttlMs,
    );
    return (
      db.sql('INSERT OR IGNORE INTO seen (key, expires_at) VALUES (?, ?)').run(key, at + ttlMs).changes > 0
    );
  });
}
