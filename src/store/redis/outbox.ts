import type { Announcement, Episode, Json, OutboxRow } from '../ledger.ts';
import type { Context } from './context.ts';
import type { News } from './plan.ts';
import { fieldsOf, text } from './rows.ts';

function newsOf({ id, topic, subject, details, spacingMs }: Announcement): News {
  const news = { id, topic, subject, details: JSON.stringify(details) };
  return spacingMs === undefined ? news : { ...news, spacing: String(spacingMs) };
}

/** Inserts the row, or makes it due again with the new details. */
export async function writeAnnouncement({ runner }: Context, row: Announcement): Promise<void> {
  await runner.run('announce', { news: newsOf(row) });
}

/** The next due row becomes `posting`; one whose poster went silent counts as due again. */
export async function takeDueRow(
  { runner }: Context,
  token: string,
  leaseMs: number,
): Promise<OutboxRow | undefined> {
  const row = await runner.run('takeDue', { token, lease: leaseMs });
  if (row.length === 0) return undefined;
  const [id, topic, subject, details, attempts, since, posted] = row;
  return {
    id: String(id),
    topic: String(topic),
    subject: String(subject),
    details: JSON.parse(String(details)) as Json,
    attempts: Number(attempts),
    since: Number(since),
    ...(typeof posted === 'string' ? { posted: JSON.parse(posted) as Json } : {}),
  };
}

/** Moves the deadline of a row that this token is posting; false where it is not. */
export async function keepRow(
  { runner }: Context,
  id: string,
  token: string,
  leaseMs: number,
): Promise<boolean> {
  const [kept] = await runner.run('keepPosting', { id, token, lease: leaseMs });
  return kept === '1';
}

/** When the next row is worth a look. */
export async function nextDueAt({ runner }: Context): Promise<number | undefined> {
  const [at] = await runner.run('nextDue', {});
  return at === undefined || at === null ? undefined : Number(at);
}

/** posting → posted, or due again when it changed meanwhile. */
export async function markRowPosted(
  { runner }: Context,
  id: string,
  token: string,
  posted: Json,
): Promise<void> {
  await runner.run('markPosted', { id, token, posted: JSON.stringify(posted) });
}

/** posting → due, some time from now. */
export async function postRowLater(
  { runner }: Context,
  id: string,
  token: string,
  waitMs: number,
): Promise<void> {
  await runner.run('postLater', { id, token, wait: waitMs });
}

/** The episode, if it ever began. */
export async function findEpisode({ runner }: Context, name: string): Promise<Episode | undefined> {
  const fields = fieldsOf(await runner.run('episode', { name }));
  return (
    fields && {
      name,
      state: text(fields, 'state'),
      details: JSON.parse(text(fields, 'details')) as Json,
      movedAt: Number(text(fields, 'movedAt')),
    }
  );
}

/** One winner for each change, with its announcements in the same step. */
export async function moveEpisodeTo(
  { runner }: Context,
  name: string,
  from: string | undefined,
  to: string,
  details: Json,
  announcements: Announcement[],
): Promise<boolean> {
  const [moved] = await runner.run('moveEpisode', {
    name,
    from,
    to,
    details: JSON.stringify(details),
    announcements: announcements.map(newsOf),
  });
  return moved === '1';
}

/** True for the first caller of a key within its time to live. */
export async function isFirstTime({ runner }: Context, key: string, ttlMs: number): Promise<boolean> {
  const [first] = await runner.run('firstTime', { key, ttl: ttlMs });
  return first === '1';
}
