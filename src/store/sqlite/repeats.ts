import type { Context } from './context.ts';

/** True for the first caller of a key within its time. */
export function isFirstTime({ db, now }: Context, key: string, ttlMs: number): boolean {
  const at = now();
  // Not synced: a mark that a power cut takes away costs a second preview, and every command makes one. One that lasts
  // longer than one made now was made before the clock was set back: it would starve the polls.
  const { changes } = db.unsynced(() =>
    db
      .sql(
        `INSERT INTO seen (key, expires_at) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET expires_at = ?2
           WHERE expires_at <= ?3 OR expires_at > ?2`,
      )
      .run(key, at + ttlMs, at),
  );
  return changes > 0;
}

/** Forgets the keys whose time is over. */
export function forgetRepeats({ db, now }: Context): void {
  db.unsynced(() => db.sql('DELETE FROM seen WHERE expires_at <= ?').run(now()));
}
