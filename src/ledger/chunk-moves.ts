import type { ChunkDocument, SendDocument, Work } from './documents.ts';
import type { ChunkRecord, ChunkState, Tally } from './ledger.ts';
import type { Family } from './transitions.ts';

/** How a send's document follows its chunks. All of it is pure: a document in, another one out. */

/** What counts of a chunk. */
type Counted = Pick<ChunkRecord, 'state' | 'otherStatus'> & { size: number };

/** A tally of nothing. */
export function emptyTally(): Tally {
  const none = () => ({ chunks: 0, messages: 0 });
  return {
    states: {
      pending: none(),
      sending: none(),
      sent: none(),
      rejected: none(),
      not_sent: none(),
      unknown: none(),
      cancelled: none(),
      split: none(),
    },
    otherStatuses: {},
    creditsUsed: 0,
  };
}

/** The tally after a chunk changed; `was` is undefined for one that is new. */
export function recounted(tally: Tally, was: Counted | undefined, is: Counted): Tally {
  const states = { ...tally.states };
  const others = { ...tally.otherStatuses };
  const add = ({ state, otherStatus, size }: Counted, sign: 1 | -1) => {
    const { chunks, messages } = states[state];
    states[state] = { chunks: chunks + sign, messages: messages + sign * size };
    if (otherStatus === undefined) return;
    const other = (others[otherStatus] ?? 0) + sign * size;
    if (other > 0) others[otherStatus] = other;
    else delete others[otherStatus];
  };
  if (was) add(was, -1);
  add(is, 1);
  return { ...tally, states, otherStatuses: others };
}

/** The tally of a stopped send: what waited is cancelled. */
export function cancelled(tally: Tally): Tally {
  const { pending, cancelled: before } = tally.states;
  return {
    ...tally,
    states: {
      ...tally.states,
      pending: { chunks: 0, messages: 0 },
      cancelled: {
        chunks: before.chunks + pending.chunks,
        messages: before.messages + pending.messages,
      },
    },
  };
}

/** The work after a chunk changed its state, or came to be. */
export function moved(
  work: Work,
  index: number,
  { state, deadline, notBefore = 0 }: Pick<ChunkDocument, 'state' | 'deadline' | 'notBefore'>,
): Work {
  const key = String(index);
  const { [key]: _landed, ...flying } = work.flying;
  const { [key]: _left, ...back } = work.back;
  if (state === 'sending') flying[key] = deadline ?? 0;
  if (state === 'pending') back[key] = notBefore;
  return { ...work, flying, back, next: index === work.next ? work.next + 1 : work.next };
}

/** The work with what a family took so far; a family that has nothing open any more is over. */
export function withFamily(work: Work, root: number, family: Family): Work {
  const { [root]: _before, ...others } = work.families;
  return { ...work, families: family.open > 0 ? { ...others, [root]: family } : others };
}

/** A chunk that waits and may go at `now`, or when the first may; undefined where none waits. */
export function nextOf(
  { work }: SendDocument,
  now: number,
): { index: number } | { until: number } | undefined {
  const ready = Object.entries(work.back).flatMap(([index, from]) => (from <= now ? [Number(index)] : []));
  if (work.next < work.drafted) ready.push(work.next);
  if (ready.length > 0) return { index: Math.min(...ready) };
  const waiting = Object.values(work.back);
  return waiting.length > 0 ? { until: Math.min(...waiting) } : undefined;
}

/** Whether nothing of the send waits or is on its way. */
export function isDone({ tally }: SendDocument): boolean {
  return openChunks(tally) === 0;
}

function openChunks({ states }: Tally): number {
  return states.pending.chunks + states.sending.chunks;
}

/** A chunk that is still open takes requests of its family; a final one does not. */
export function isOpen(state: ChunkState): boolean {
  return state === 'pending' || state === 'sending';
}
