import { startingWith, upTo } from '../store/keys.ts';
import type { View } from '../store/view.ts';
import { followChunk, noteActivity } from './accounts.ts';
import { moved, withFamily } from './chunk-moves.ts';
import { closed } from './closing.ts';
import {
  type ChunkDocument,
  chunks,
  forgetsAt,
  nameOf,
  type SendDocument,
  seen,
  sends,
} from './documents.ts';
import { expire } from './drafts.ts';
import { announceEnd } from './outbox.ts';
import { documentOf } from './reading.ts';
import { recounted } from './tally.ts';
import { forget, hasEnded } from './transitions.ts';

/** What one step looks at. */
const AT_ONCE = 100;

/** Ids of sends that need a look now, the most urgent first. */
export function toRecover(view: View): string[] {
  return view.list(sends, 'look', upTo([], view.now), { limit: AT_ONCE }).map(({ id }) => id);
}

/** Whether `recover` has something to do. */
export function isToRecover(view: View): boolean {
  return toRecover(view).length > 0 || overIn(view).length > 0;
}

/** Says that what is to be recovered will be looked at. */
export function needRecovery(view: View): void {
  const bounds = upTo([], view.now);
  view.needList(sends, 'look', bounds, { limit: AT_ONCE });
  view.needList(seen, 'over', bounds, { limit: AT_ONCE });
}

function overIn(view: View) {
  return view.list(seen, 'over', upTo([], view.now), { limit: AT_ONCE });
}

/** Ids of all sends that are not over. */
export function allOpen(view: View): string[] {
  const looked = view.list(sends, 'look', startingWith([]));
  const open = view.list(sends, 'open', startingWith([]));
  return [...new Set([...looked, ...open].map(({ id }) => id))];
}

/**
 * Says what is true of a send that nobody looks after any more: attempts past their deadline are unknown, a draft past
 * its end is expired and later forgets, a single send that waited too long is not sent. `isDead`: nothing that is on its
 * way has an owner, whatever its deadline. Such chunks have no result, since no answer came.
 */
export function recoverSend(view: View, id: string, isDead: boolean): void {
  const send = view.get(sends, id);
  if (!send) return;
  const { record, work } = send;
  const isOver = record.state === 'draft' && record.expiresAt <= view.now;
  const draft = isOver ? expire(view, send) : send;
  if (draft.record.state === 'expired') {
    const forgets = draft.record.keeps !== undefined && forgetsAt(draft.record) <= view.now;
    if (forgets) view.put(sends, id, { ...draft, record: forget(draft.record) });
    return;
  }
  const lost = Object.entries(work.flying).flatMap(([index, deadline]) =>
    isDead || deadline <= view.now ? [Number(index)] : [],
  );
  const isStale = record.state === 'running' && (work.staleAt ?? Number.POSITIVE_INFINITY) <= view.now;
  const waiting = isStale
    ? [...Object.keys(work.back).map(Number), ...rangeFrom(work.next, work.drafted)]
    : [];
  if (lost.length === 0 && waiting.length === 0) return;
  let after = send;
  for (const index of lost) after = ended(view, after, index, 'unknown');
  for (const index of waiting) after = ended(view, after, index, 'not_sent');
  after = closed(view, after);
  view.put(sends, id, after);
  // A job's card tells of its unknown ones while it still runs, or waits; an ended send is announced by then.
  if (!hasEnded(after.record) && record.kind === 'job') announceEnd(view, after.record);
}

function rangeFrom(first: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - first) }, (_, offset) => first + offset);
}

function ended(view: View, send: SendDocument, index: number, state: 'unknown' | 'not_sent'): SendDocument {
  const ref = { send: send.record.id, index };
  const was = documentOf(view, send, ref);
  const is: ChunkDocument = { ...was, state, settledAt: view.now };
  view.getUnlikely(chunks, nameOf(ref));
  view.put(chunks, nameOf(ref), is);
  if (state === 'unknown' && was.account !== undefined) {
    followChunk(view, was.account, ref, was, is);
    noteActivity(view, was.account);
  }
  const family = send.work.families[was.root];
  const work = moved(send.work, index, is);
  return {
    ...send,
    work: family ? withFamily(work, was.root, { ...family, open: family.open - 1 }) : work,
    tally: recounted(send.tally, was, is),
  };
}

/** Forgets what was seen and is over; answers whether there may be more. */
export function forgetSeen(view: View): boolean {
  view.unsynced();
  const over = overIn(view);
  for (const { id } of over) view.delete(seen, id);
  return over.length === AT_ONCE;
}
