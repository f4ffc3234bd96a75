import { startingWith } from '../../store/keys.ts';
import type { View } from '../../store/view.ts';
import type { Json } from '../model/json.ts';
import { rowIdOf, spacedFrom } from './announce.ts';
import { type OutboxDocument, outbox, type WaitingRow } from './outbox-documents.ts';

/** Renews the lease of a row that this token still posts, for `leaseMs` from now. False if the token is not its own any more. */
export function extendPosting(view: View, id: string, token: string, leaseMs: number): boolean {
  return changePosting(view, id, token, (row, waiting) => ({
    ...row,
    waiting: { ...waiting, token, dueAt: view.now + leaseMs },
  }));
}

/** The row's message arrived. A row that changed meanwhile is due after its spacing, others in `againMs`, if given. */
export function markPosted(
  view: View,
  id: string,
  token: string,
  { posted, againMs }: { posted: Json; againMs?: number | undefined },
): void {
  changePosting(view, id, token, (row, { takenRevision = 0, since, revisedAt = since, ...waiting }) => {
    const isOfSend = id === rowIdOf(waiting.topic, waiting.subject);
    const after: OutboxDocument = {
      ...row,
      ...(posted !== null && { posted }),
      // Spacing needs this time, and so does retention, which deletes old rows that are about no send.
      ...((!isOfSend || row.spacing !== undefined) && { postedAt: view.now }),
      ...(isOfSend && { isOfSend }),
    };
    const next = { ...waiting, since: revisedAt, attempts: 0 };
    if (waiting.revision > takenRevision)
      return { ...after, waiting: { ...next, dueAt: view.now + (row.spacing ?? 0) } };
    // If nobody can change the posted message later, the row is deleted.
    if (againMs === undefined) return after.posted === undefined && !row.spacing ? undefined : after;
    const dueAt = view.now + againMs;
    return { ...after, waiting: { ...next, since: dueAt, dueAt } };
  });
}

/** The row's message did not arrive: the row is due again in `waitMs`. */
export function postLater(view: View, id: string, token: string, waitMs: number): void {
  changePosting(view, id, token, (row, waiting) => ({
    ...row,
    waiting: { ...waiting, dueAt: view.now + waitMs },
  }));
}

/** A poster's lease is shorter, in ms. */
export const LONGEST_POST_MS = 60_000;

/**
 * Makes rows due that nobody has posted `postingMs` from now: 0 if no process posts. If somebody set the clock back, no
 * row waits too long for that.
 */
export function releaseRows(view: View, postingMs: number): void {
  for (const { id, value } of view.list(outbox, 'waiting', startingWith([]))) {
    const { token, ...waiting } = value.waiting as WaitingRow;
    const isPosting = token !== undefined && postingMs > 0;
    const latest =
      token === undefined ? Math.max(view.now, spacedFrom(value, view.now)) : view.now + postingMs;
    const dueAt = Math.min(waiting.dueAt, latest);
    if (isPosting && dueAt === waiting.dueAt) continue;
    view.put(outbox, id, { ...value, waiting: { ...waiting, ...(isPosting && { token }), dueAt } });
  }
}

/** Edits or deletes a row that this token is posting. The token loses the row, unless `edit` puts the token back. */
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
