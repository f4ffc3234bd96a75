import type { SplitBudget } from './apply-settlement.ts';
import type { ChunkDocument } from './chunk-documents.ts';
import { without } from './entries.ts';
import type { ChunkState } from './outcome-types.ts';
import type { ChunkProgress, SendDocument } from './send-documents.ts';
import { withChunkRecounted } from './tally.ts';

/** A send's document after its chunks changed. All functions are pure: a document in, another one out. */

/** The send after a chunk changed; `was` is undefined for a new chunk. */
export function withChunkChanged(
  send: SendDocument,
  index: number,
  was: ChunkDocument | undefined,
  is: ChunkDocument,
): SendDocument {
  return {
    ...send,
    work: withSplitBudgetChanged(withChunkState(send.work, index, is), was, is),
    tally: withChunkRecounted(send.tally, was, is),
  };
}

function withChunkState(
  work: ChunkProgress,
  index: number,
  { state, deadline, notBefore = 0 }: Pick<ChunkDocument, 'state' | 'deadline' | 'notBefore'>,
): ChunkProgress {
  const key = String(index);
  const inFlight = without(work.inFlight, key);
  const back = without(work.back, key);
  return {
    ...work,
    inFlight: state === 'sending' ? { ...inFlight, [key]: deadline ?? 0 } : inFlight,
    back: state === 'pending' ? { ...back, [key]: notBefore } : back,
    next: index === work.next ? work.next + 1 : work.next,
  };
}

/** The requests of a drafted chunk and its splits so far; `open` counts the chunk itself. */
export function splitBudgetOf({ splitBudgets }: ChunkProgress, chunk: ChunkDocument): SplitBudget {
  return splitBudgets?.[chunk.root] ?? { requests: requestsOf(chunk), open: openOf(chunk) };
}

/** The work with a split budget for the chunk and its splits: call it before the chunk is split. */
export function withSplitBudget(work: ChunkProgress, chunk: ChunkDocument): ChunkProgress {
  return { ...work, splitBudgets: { ...work.splitBudgets, [chunk.root]: splitBudgetOf(work, chunk) } };
}

/** Counts a chunk's change in its split budget, if it has one. Drops the budget once nothing of it is open. */
function withSplitBudgetChanged(
  work: ChunkProgress,
  was: ChunkDocument | undefined,
  is: ChunkDocument,
): ChunkProgress {
  const before = work.splitBudgets?.[is.root];
  if (!before) return work;
  const requests = before.requests + requestsOf(is) - (was ? requestsOf(was) : 0);
  const open = before.open + openOf(is) - (was ? openOf(was) : 0);
  // The children of a split chunk come after it.
  const splitBudgets =
    open > 0 || is.state === 'split'
      ? { ...work.splitBudgets, [is.root]: { requests, open } }
      : without(work.splitBudgets, String(is.root));
  return { ...work, splitBudgets };
}

function requestsOf({ attempt, neverStarted = 0 }: ChunkDocument): number {
  return attempt - neverStarted;
}

function openOf({ state }: ChunkDocument): number {
  return isOpenState(state) ? 1 : 0;
}

/** A waiting chunk that may be taken at `now`, or when the first may; undefined if none waits. */
export function nextReadyChunk(
  { record, work }: SendDocument,
  now: number,
): { index: number } | { until: number } | undefined {
  const { startsAt = 0 } = record;
  if (startsAt > now) return { until: startsAt };
  const ready = Object.entries(work.back ?? {}).flatMap(([index, from]) =>
    from <= now ? [Number(index)] : [],
  );
  if (work.next < work.drafted) ready.push(work.next);
  if (ready.length > 0) return { index: Math.min(...ready) };
  const waiting = Object.values(work.back ?? {});
  return waiting.length > 0 ? { until: Math.min(...waiting) } : undefined;
}

/** Whether a chunk in this state may still make requests. */
export function isOpenState(state: ChunkState): boolean {
  return state === 'pending' || state === 'sending';
}
