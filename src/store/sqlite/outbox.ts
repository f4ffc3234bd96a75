import type { Announcement, Json, OutboxRow, SendRecord } from '../ledger.ts';
import type { Context } from './context.ts';
import { json, optional, type Row, text } from './rows.ts';

/** Makes the send's topics due: their messages are made from the send as it stands when they are posted. */
export function announceEnd(context: Context, send: SendRecord): void {
  for (const topic of send.topics) {
    writeAnnouncement(context, { id: `${topic}:${send.id}`, topic, subject: send.id, details: null });
  }
}

/** Inserts the row, or makes it due again with the new details. Runs inside the caller's transaction. */
export function writeAnnouncement({ db, now }: Context, row: Announcement): void {
  const at = now();
  db.sql(
    `INSERT INTO outbox (id, topic, subject, details, state, revision, since, due_at)
     VALUES (?, ?, ?, ?, 'due', 1, ?, ?)
     ON CONFLICT (id) DO UPDATE SET details = excluded.details, revision = revision + 1, since = excluded.since,
       due_at = excluded.due_at, state = CASE state WHEN 'posting' THEN 'posting' ELSE 'due' END`,
  ).run(row.id, row.topic, row.subject, JSON.stringify(row.details), at, at);
}

/** The next due row becomes `posting`; one whose poster went silent counts as due again. */
export function takeDueRow({ db, now }: Context, token: string, leaseMs: number): OutboxRow | undefined {
  return db.transaction(() => {
    const at = now();
    const row = db
      .sql(
        `SELECT * FROM outbox WHERE (state = 'due' AND due_at <= ?) OR (state = 'posting' AND deadline <= ?)
         ORDER BY attempts > 0, due_at, since LIMIT 1`,
      )
      .get(at, at);
    if (!row) return undefined;
    db.sql(
      `UPDATE outbox SET state = 'posting', token = ?, deadline = ?, attempts = attempts + 1,
         taken_revision = revision WHERE id = ?`,
    ).run(token, at + leaseMs, text(row.id));
    return outboxOf(row);
  });
}

function outboxOf(row: Row): OutboxRow {
  return {
    id: text(row.id),
    topic: text(row.topic),
    subject: text(row.subject),
    details: json(row.details),
    attempts: Number(row.attempts),
    since: Number(row.since),
    ...optional('posted', row.posted, json),
  };
}

/** When the next row is worth a look. */
export function nextDueAt({ db }: Context): number | undefined {
  const row = db
    .sql(
      "SELECT min(CASE state WHEN 'due' THEN due_at ELSE deadline END) AS at FROM outbox WHERE state IN ('due', 'posting')",
    )
    .get();
  return row?.at === null || row === undefined ? undefined : Number(row.at);
}

/** posting → posted, or due again when it changed meanwhile. */
export function markRowPosted({ db, now }: Context, id: string, token: string, posted: Json): void {
  db.sql(
    `UPDATE outbox SET state = CASE WHEN revision > taken_revision THEN 'due' ELSE 'posted' END, posted = ?,
       attempts = 0, token = NULL, deadline = NULL, due_at = CASE WHEN revision > taken_revision THEN ? ELSE due_at END
     WHERE id = ? AND token = ? AND state = 'posting'`,
  ).run(JSON.stringify(posted), now(), id, token);
}

/** posting → due, some time from now. */
export function postRowLater({ db, now }: Context, id: string, token: string, waitMs: number): void {
  db.sql(
    `UPDATE outbox SET state = 'due', due_at = ?, token = NULL, deadline = NULL
     WHERE id = ? AND token = ? AND state = 'posting'`,
  ).run(now() + waitMs, id, token);
}

/** Rows that a dead boot was posting are due again: their answer is lost. */
export function reviveRows({ db, now }: Context): void {
  db.sql("UPDATE outbox SET state = 'due', due_at = ?, token = NULL WHERE state = 'posting'").run(now());
}
