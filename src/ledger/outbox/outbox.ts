import { startingWith } from '../../store/keys.ts';
import type { ListedDocument, View } from '../../store/view.ts';
import type { Announcement } from '../model/announcement.ts';
import type { Json, SendRecord } from '../model/types.ts';
import { type OutboxDocument, outbox, type WaitingRow } from './outbox-documents.ts';
import type { OutboxRow } from './outbox-types.ts';

/** Rows that one step looks at: a process has this many posters. */
const PAGE = 16;
/** Rows that were never tried, then those that were. */
const NEVER_TRIED_FIRST = [0, 1] as const;

/** Makes the send's topics due: their messages are made from the send as it is when they are posted. */
export function announceTopics(view: View, { id, team, topics }: SendRecord): void {
  for (const topic of topics)
    announce(view, { id: rowIdOf(topic, id), topic, subject: id, details: { team } });
}

/** Topics of all rows that may tell of the send. */
export function topicsOf({ topics, approval }: SendRecord): string[] {
  return approval ? [...topics, approval.topic] : topics;
}

/** The id of a send's row. */
export function rowIdOf(topic: string, send: string): string {
  return `${topic}:${send}`;
}

function isOfSend(id: string, { topic, subject }: Pick<WaitingRow, 'topic' | 'subject'>): boolean {
  return id === rowIdOf(topic, subject);
}

/**
 * Makes a row due, again with new details where it is there. A spaced row waits for its spacing, and for what a poster
 * who was refused asked for: it is announced too often to be tried each time. A time of the last post that lies ahead is
 * of a clock that was set back since.
 */
export function announce(view: View, { id, topic, subject, details, spacingMs }: Announcement): void {
  const { now } = view;
  const { waiting: before, ...row } = view.getAssumingAbsent(outbox, id) ?? {};
  const spacing = spacingMs ?? row.spacing ?? 0;
  const afterPost = row.postedAt === undefined ? 0 : Math.min(row.postedAt, now) + spacing;
  const afterRefusal = before && before.attempts > 0 && spacing > 0 ? before.dueAt : 0;
  const waiting: WaitingRow = {
    ...(before ?? { attempts: 0 }),
    ...{ topic, subject, details },
    since: now,
    revision: (before?.revision ?? 0) + 1,
    dueAt: before?.token === undefined ? Math.max(now, afterPost, afterRefusal) : before.dueAt,
  };
  view.put(outbox, id, { ...row, waiting, ...(spacing > 0 ? { spacing } : {}) });
}

/**
 * The next due row, now posted by this token; one whose poster went silent counts as due again. Asked again with a token
 * that posts a row, it is the same row.
 */
export function takeDue(view: View, token: string, leaseMs: number): OutboxRow | undefined {
  const [mine] = view.list(outbox, 'posting', startingWith([token]), { limit: 1 });
  if (mine) return takenAgain(view, mine, leaseMs);
  // What was listed lately saves a trip. It can't say that nothing is due.
  const recent = dueRows(view, true);
  const [first, second] = recent.length > 0 ? recent : dueRows(view, false);
  return first && takeRow(view, first, { token, leaseMs, areMore: second !== undefined });
}

/** A row that its poster did not hear of. It is written again: a read alone may show what no replica has. */
function takenAgain(view: View, { id, value }: ListedDocument<OutboxDocument>, leaseMs: number): OutboxRow {
  const again = { ...value, waiting: { ...(value.waiting as WaitingRow), dueAt: view.now + leaseMs } };
  view.put(outbox, id, again);
  return rowOf({ id, value: again }, isDue(view));
}

/** Rows that a step took for its own process, and whether it left others due. */
export interface WrittenRows {
  taken: OutboxRow[];
  areLeft: boolean;
}

/** Takes the rows that this step has written and that are due, as far as there are tokens for them. */
export function takeWritten(
  view: View,
  leaseMs: number,
  tokenAt: (place: number) => string | undefined,
): WrittenRows {
  const taken: OutboxRow[] = [];
  for (const row of view.written(outbox).filter(({ value }) => dueAtOf(value) <= view.now)) {
    const token = tokenAt(taken.length);
    if (token === undefined) return { taken, areLeft: true };
    taken.push(takeRow(view, row, { token, leaseMs, areMore: false }));
  }
  return { taken, areLeft: false };
}

function takeRow(
  view: View,
  { id, value }: ListedDocument<OutboxDocument>,
  { token, leaseMs, areMore }: { token: string; leaseMs: number; areMore: boolean },
): OutboxRow {
  const waiting = value.waiting as WaitingRow;
  const { attempts, revision } = waiting;
  const taken: OutboxDocument = {
    ...value,
    waiting: {
      ...waiting,
      token,
      dueAt: view.now + leaseMs,
      attempts: attempts + 1,
      takenRevision: revision,
    },
  };
  view.put(outbox, id, taken);
  return rowOf({ id, value: taken }, areMore);
}

/** Whether a row is due now. */
export function isDue(view: View): boolean {
  return dueRows(view, false).length > 0;
}

/** Says that what is due, and what is being posted, will be looked at. */
export function prefetchDue(view: View): void {
  view.prefetchList(outbox, 'posting', startingWith([]));
  for (const tried of NEVER_TRIED_FIRST)
    view.prefetchList(outbox, 'due', startingWith([tried]), { limit: PAGE });
}

function dueRows(view: View, allowCached: boolean) {
  return firstRows(view, PAGE, allowCached).filter(({ value }) => dueAtOf(value) <= view.now);
}

/** The first rows of both turns. */
function firstRows(view: View, limit: number, allowCached: boolean) {
  const options = { limit, allowCached };
  for (const tried of NEVER_TRIED_FIRST) view.prefetchList(outbox, 'due', startingWith([tried]), options);
  return NEVER_TRIED_FIRST.flatMap((tried) => view.list(outbox, 'due', startingWith([tried]), options));
}

function dueAtOf({ waiting }: OutboxDocument): number {
  return waiting?.dueAt ?? Number.POSITIVE_INFINITY;
}

/** A row that was just taken, as its poster sees it. */
function rowOf({ id, value }: ListedDocument<OutboxDocument>, areMore: boolean): OutboxRow {
  const { waiting, posted } = value;
  const { topic, subject, details, attempts, since } = waiting as WaitingRow;
  const row = { id, topic, subject, details, attempts: attempts - 1, since, areMore };
  return posted === undefined ? row : { ...row, posted };
}

/** Moves the deadline of a row that this token is posting; false where it is not. */
export function extendPosting(view: View, id: string, token: string, leaseMs: number): boolean {
  return changePosting(view, id, token, (row, waiting) => ({
    ...row,
    waiting: { ...waiting, token, dueAt: view.now + leaseMs },
  }));
}

/** When the next row is worth a look. */
export function nextDueAt(view: View): number | undefined {
  const times = firstRows(view, 1, false).map(({ value }) => dueAtOf(value));
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** Since when the oldest row waits. */
export function waitingSince(view: View): number | undefined {
  return view.list(outbox, 'waiting', startingWith([]), { limit: 1 })[0]?.value.waiting?.since;
}

/** It arrived: due again after its spacing where it changed meanwhile, or `againMs` from now where that is asked for. */
export function markPosted(
  view: View,
  id: string,
  token: string,
  { posted, againMs }: { posted: Json; againMs?: number | undefined },
): void {
  changePosting(view, id, token, (row, { takenRevision = 0, ...waiting }) => {
    const ofSend = isOfSend(id, waiting);
    const after: OutboxDocument = {
      ...row,
      ...(posted !== null && { posted }),
      // For its spacing, and for retention, which deletes what goes with no send.
      ...((!ofSend || row.spacing !== undefined) && { postedAt: view.now }),
      ...(ofSend && { isOfSend: true }),
    };
    const next = { ...waiting, attempts: 0 };
    if (waiting.revision > takenRevision)
      return { ...after, waiting: { ...next, dueAt: view.now + (row.spacing ?? 0) } };
    // What can't be changed where it was posted leaves nothing to keep.
    if (againMs === undefined) return after.posted === undefined && !row.spacing ? undefined : after;
    const dueAt = view.now + againMs;
    return { ...after, waiting: { ...next, since: dueAt, dueAt } };
  });
}

/** It did not arrive: due again some time from now. */
export function postLater(view: View, id: string, token: string, waitMs: number): void {
  changePosting(view, id, token, (row, waiting) => ({
    ...row,
    waiting: { ...waiting, dueAt: view.now + waitMs },
  }));
}

/**
 * Call where no poster can be alive: what a dead process was posting is due again, and no row waits for a moment that a
 * clock which was set back has put too far ahead.
 */
export function releaseAllRows(view: View): void {
  for (const { id, value } of view.list(outbox, 'waiting', startingWith([]))) {
    const { token, ...waiting } = value.waiting as WaitingRow;
    const afterPost =
      value.postedAt === undefined ? 0 : Math.min(value.postedAt, view.now) + (value.spacing ?? 0);
    const latest = Math.max(view.now, afterPost);
    const dueAt = token === undefined ? Math.min(waiting.dueAt, latest) : view.now;
    view.put(outbox, id, { ...value, waiting: { ...waiting, dueAt } });
  }
}

/** Edits a row that this token is posting, or deletes it, and takes it from the token unless `edit` gives it back. */
function changePosting(
  view: View,
  id: string,
  token: string,
  edit: (
    row: Omit<OutboxDocument, 'waiting'>,
    waiting: Omit<WaitingRow, 'token'>,
  ) => OutboxDocument | undefined,
): boolean {
  const { waiting, ...row } = view.get(outbox, id) ?? {};
  if (waiting?.token !== token) return false;
  const { token: _over, ...rest } = waiting;
  const edited = edit(row, rest);
  if (edited) view.put(outbox, id, edited);
  else view.delete(outbox, id);
  return true;
}
