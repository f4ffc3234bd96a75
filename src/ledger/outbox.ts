import { startingWith, upTo } from '../store/keys.ts';
import type { View } from '../store/view.ts';
import { type OutboxDocument, outbox } from './documents.ts';
import type { Announcement, Json, OutboxRow, SendRecord } from './ledger.ts';

/** Rows that one step looks at: a process has this many posters. */
const AT_ONCE = 16;
/** Rows that were never tried, then those that were. */
const TURNS = [0, 1] as const;

/** Makes the send's topics due: their messages are made from the send as it is when they are posted. */
export function announceEnd(view: View, { id, topics }: SendRecord): void {
  for (const topic of topics) announce(view, { id: `${topic}:${id}`, topic, subject: id, details: null });
}

/**
 * Makes a row due, again with new details where it is there. A spaced row waits for its spacing, and for what a poster
 * who was refused asked for: it is announced too often to be tried each time. A time of the last post that lies ahead is
 * of a clock that was set back since.
 */
export function announce(view: View, { id, topic, subject, details, spacingMs }: Announcement): void {
  const { now } = view;
  const row = view.getUnlikely(outbox, id);
  const spacing = spacingMs ?? row?.spacing ?? 0;
  const changed: OutboxDocument = {
    ...row,
    ...{ topic, subject, details },
    since: now,
    revision: (row?.revision ?? 0) + 1,
    attempts: row?.attempts ?? 0,
    ...(spacing > 0 ? { spacing } : {}),
  };
  if (row?.token === undefined) {
    const afterPost = row?.postedAt === undefined ? 0 : Math.min(row.postedAt, now) + spacing;
    const afterRefusal = row && row.attempts > 0 && spacing > 0 ? (row.dueAt ?? 0) : 0;
    changed.dueAt = Math.max(now, afterPost, afterRefusal);
  }
  view.put(outbox, id, changed);
}

/**
 * The next due row, now posted by this token; one whose poster went silent counts as due again. Asked again with a token
 * that posts a row, it is the same row.
 */
export function takeDue(view: View, token: string, leaseMs: number): OutboxRow | undefined {
  needDue(view);
  view.needList(outbox, 'posting', startingWith([token]));
  const [mine] = view.list(outbox, 'posting', startingWith([token]));
  if (mine) return rowOf(mine.id, mine.value, mine.value.attempts - 1, isDue(view));
  const [first, second] = due(view);
  if (!first) return undefined;
  const { id, value: row } = first;
  view.put(outbox, id, {
    ...row,
    token,
    dueAt: view.now + leaseMs,
    attempts: row.attempts + 1,
    takenRevision: row.revision,
  });
  return rowOf(id, row, row.attempts, second !== undefined);
}

/** Whether a row is due now. */
export function isDue(view: View): boolean {
  return due(view).length > 0;
}

/** Says that what is due will be looked at. */
export function needDue(view: View): void {
  for (const turn of TURNS) view.needList(outbox, 'due', upTo([turn], view.now), { limit: AT_ONCE });
}

function due(view: View) {
  return TURNS.flatMap((turn) => view.list(outbox, 'due', upTo([turn], view.now), { limit: AT_ONCE }));
}

function rowOf(
  id: string,
  { topic, subject, details, since, posted }: OutboxDocument,
  attempts: number,
  areMore: boolean,
): OutboxRow {
  const row = { id, topic, subject, details, attempts, since, areMore };
  return posted === undefined ? row : { ...row, posted };
}

/** Moves the deadline of a row that this token is posting; false where it is not. */
export function keepPosting(view: View, id: string, token: string, leaseMs: number): boolean {
  return change(view, id, token, (row) => ({ ...row, token, dueAt: view.now + leaseMs }));
}

/** When the next row is worth a look. */
export function nextDue(view: View): number | undefined {
  for (const turn of TURNS) view.needList(outbox, 'due', startingWith([turn]), { limit: 1 });
  const times = TURNS.flatMap((turn) =>
    view.list(outbox, 'due', startingWith([turn]), { limit: 1 }).map(({ value }) => value.dueAt ?? 0),
  );
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** Since when the oldest row waits. */
export function waitingSince(view: View): number | undefined {
  return view.list(outbox, 'waiting', startingWith([]), { limit: 1 })[0]?.value.since;
}

/** It arrived: due again after its spacing only where it changed meanwhile. */
export function markPosted(view: View, id: string, token: string, posted: Json): void {
  change(view, id, token, ({ dueAt: _over, takenRevision = 0, ...row }) => ({
    ...row,
    posted,
    postedAt: view.now,
    attempts: 0,
    ...(row.revision > takenRevision ? { dueAt: view.now + (row.spacing ?? 0) } : {}),
  }));
}

/** It did not arrive: due again some time from now. */
export function postLater(view: View, id: string, token: string, waitMs: number): void {
  change(view, id, token, (row) => ({ ...row, dueAt: view.now + waitMs }));
}

/**
 * Call where no poster can be alive: what a dead process was posting is due again, and no row waits for a moment that a
 * clock which was set back has put too far ahead.
 */
export function reviveRows(view: View): void {
  for (const { id, value } of view.list(outbox, 'waiting', startingWith([]))) {
    const { token, ...row } = value;
    const afterPost = row.postedAt === undefined ? 0 : Math.min(row.postedAt, view.now) + (row.spacing ?? 0);
    const latest = Math.max(view.now, afterPost);
    const isTooFar = (row.dueAt ?? 0) > latest;
    if (token !== undefined) view.put(outbox, id, { ...row, dueAt: view.now });
    else if (isTooFar) view.put(outbox, id, { ...row, dueAt: latest });
  }
}

/** Edits a row that this token is posting, and takes it from the token unless `edit` gives it back. */
function change(
  view: View,
  id: string,
  token: string,
  edit: (row: Omit<OutboxDocument, 'token'>) => OutboxDocument,
): boolean {
  const stands = view.get(outbox, id);
  if (stands?.token !== token) return false;
  const { token: _over, ...row } = stands;
  view.put(outbox, id, edit(row));
  return true;
}
