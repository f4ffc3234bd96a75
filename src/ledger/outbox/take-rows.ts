import { startingWith } from '../../store/keys.ts';
import type { ListedDocument, View } from '../../store/view.ts';
import { type OutboxDocument, outbox, type WaitingRow } from './outbox-documents.ts';
import type { OutboxRow } from './outbox-types.ts';

/** How many rows one step looks at: a process has as many posters. */
const PAGE = 16;

/**
 * Takes the next due row for this token; undefined if none is due. A row whose poster went silent is due again. If the
 * token has a row already, returns that row.
 */
export function takeDue(view: View, token: string, leaseMs: number): OutboxRow | undefined {
  const [[mine], due] = view.together(
    () => view.list(outbox, 'posting', startingWith([token]), { limit: 1 }),
    () => dueRows(view),
  );
  const row = mine ?? due[0];
  const areMore = due.some(({ id }) => id !== row?.id);
  return row && takeRow(view, row, { token, leaseMs, areMore });
}

/** Rows that a step took for its own process, and whether it left others due. */
export interface WrittenRows {
  taken: OutboxRow[];
  areLeft: boolean;
}

/** Takes the due rows that this step has written, while there are tokens. */
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
  // If the token has the row, it heard no answer. Write the row again, since the replicas may lack it.
  const isNew = waiting.token !== token;
  const taken: OutboxDocument = {
    ...value,
    waiting: {
      ...waiting,
      token,
      dueAt: view.now + leaseMs,
      ...(isNew && { attempts: attempts + 1, takenRevision: revision }),
    },
  };
  view.put(outbox, id, taken);
  return rowOf({ id, value: taken }, areMore);
}

export function isDue(view: View): boolean {
  return dueRows(view).length > 0;
}

function dueRows(view: View) {
  return firstRows(view, PAGE).filter(({ value }) => dueAtOf(value) <= view.now);
}

/** Rows that nobody tried to post come first. */
function firstRows(view: View, limit: number) {
  const turns = [0, 1].map((tried) => () => view.list(outbox, 'due', startingWith([tried]), { limit }));
  return view.together(...turns).flat();
}

function dueAtOf({ waiting }: OutboxDocument): number {
  return waiting?.dueAt ?? Number.POSITIVE_INFINITY;
}

/** A taken row, as its poster sees it. */
function rowOf({ id, value }: ListedDocument<OutboxDocument>, areMore: boolean): OutboxRow {
  const { waiting, posted } = value;
  const { topic, subject, details, attempts, since, revisedAt = since } = waiting as WaitingRow;
  const row = { id, topic, subject, details, attempts: attempts - 1, since: revisedAt, areMore };
  return posted === undefined ? row : { ...row, posted };
}

/** When the next row is due; undefined if none waits. */
export function nextDueAt(view: View): number | undefined {
  const times = firstRows(view, 1).map(({ value }) => dueAtOf(value));
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** Since when the oldest news waits; undefined if there is none. */
export function waitingSince(view: View): number | undefined {
  return view.list(outbox, 'waiting', startingWith([]), { limit: 1 })[0]?.value.waiting?.since;
}
