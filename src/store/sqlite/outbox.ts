import type { Announcement, Json, OutboxRow, SendRecord } from '../ledger.ts';
import type { Context } from './context.ts';
import { json, optional, type Row, text } from './rows.ts';

/** Makes the send's topics due: their messages are made from the send as it stands when they are posted. */
export function announceEnd(context: Context, send: SendRecord): void {
  for (const topic of send.topics) {
    writeAnnouncement(context, { id: `${topic}:${send.id}`, topic, subject: send.id, details: null });
  }
}

/**
 * Inserts the row, or makes it due again with the new details. A spaced row waits for its spacing, and for what a
 * poster who was refused asked for: it is announced too often to be tried each time. A time of the last post that lies
 * ahead is of a clock that was set back since. Runs inside the caller's transaction.
 */
export function writeAnnouncement({ db, now }: Context, row: Announcement): void {
  const at = now();
  db.sql(
    `INSERT INTO outbox (id, topic, subject, details, state, revision, since, due_at, spacing)
     VALUES (?1, ?2, ?3, ?4, 'due', 1, ?5, ?5, coalesce(?6, 0))
     ON CONFLICT (id) DO UPDATE SET details = excluded.details, revision = revision + 1, since = excluded.since,
       spacing = coalesce(?6, spacing),
       due_at = max(
         ?5,
         coalesce(min(posted_at, ?5) + coalesce(?6, spacing), 0),
         CASE WHEN state = 'due' AND attempts > 0 AND spacing > 0 THEN due_at ELSE 0 END
       ),
       state = CASE state WHEN 'posting' THEN 'posting' ELSE 'due' END`,
  ).run(row.id, row.topic, row.subject, JSON.stringify(row.details), at, row.spacingMs ?? null);
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

/** Moves the deadline of a row that this token is posting; false where it is not. */
export function keepRow({ db, now }: Context, id: string, token: string, leaseMs: number): boolean {
  const { changes } = db
    .sql("UPDATE outbox SET deadline = ? WHERE id = ? AND token = ? AND state = 'posting'")
    .run(now() + leaseMs, id, token);
  return changes > 0;
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

/** posting → posted, or due again after its spacing when it changed meanwhile. */
export function markRowPosted({ db, now }: Context, id: string, token: string, posted: Json): void {
  db.sql(
    `UPDATE outbox SET state = CASE WHEN revision > taken_revision THEN 'due' ELSE 'posted' END, posted = ?1,
       posted_at = ?2, attempts = 0, token = NULL, deadline = NULL,
       due_at = CASE WHEN revision > taken_revision THEN ?2 + spacing ELSE due_at END
     WHERE id = ?3 AND token = ?4 AND state = 'posting'`,
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
