import type { Announcement, Episode, Json } from '../ledger.ts';
import type { Context } from './context.ts';
import { writeAnnouncement } from './outbox.ts';
import { json, text } from './rows.ts';

/** The episode, if it ever began. */
export function findEpisode({ db }: Context, name: string): Episode | undefined {
  const row = db.sql('SELECT * FROM episodes WHERE name = ?').get(name);
  return (
    row && {
      name,
      state: text(row.state),
      details: json(row.details),
      movedAt: Number(row.moved_at),
    }
  );
}

/** One winner for each change, with its announcements in the same step. */
export function moveEpisodeTo(
  context: Context,
  name: string,
  from: string | undefined,
  to: string,
  details: Json,
  announcements: Announcement[],
): boolean {
  const { db, now } = context;
  return db.transaction(() => {
    const stands = db.sql('SELECT state FROM episodes WHERE name = ?').get(name);
    if ((stands === undefined ? undefined : text(stands.state)) !== from) return false;
    db.sql(
      `INSERT INTO episodes (name, state, details, moved_at) VALUES (?, ?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET state = excluded.state, details = excluded.details, moved_at = excluded.moved_at`,
    ).run(name, to, JSON.stringify(details), now());
    for (const announcement of announcements) writeAnnouncement(context, announcement);
    return true;
  });
}
