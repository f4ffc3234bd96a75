import type { ChunkRecord } from './chunk-record.ts';
import { type Entries, without } from './entries.ts';
import type { ChunkState } from './outcome-types.ts';
import type { SendRecord, Tally } from './send-record.ts';

/** Counts as a send's document keeps them. A state without chunks is missing. */
export interface SendCounts {
  states: { [state in ChunkState]?: Count };
  otherStatuses?: Entries<number>;
  /** As in `Tally`; missing if there are none. */
  barred?: Tally['barred'];
  creditsUsed: number;
}

interface Count {
  chunks: number;
  messages: number;
}

type Counted = Pick<ChunkRecord, 'state' | 'otherStatus' | 'barredFor'> & { size: number };

const NONE: Count = { chunks: 0, messages: 0 };

const NO_CHUNKS: { [state in ChunkState]: Count } = {
  pending: NONE,
  sending: NONE,
  sent: NONE,
  rejected: NONE,
  not_sent: NONE,
  unknown: NONE,
  cancelled: NONE,
  split: NONE,
};

export function emptyCounts(): SendCounts {
  return { states: {}, creditsUsed: 0 };
}

export function countOf({ states }: SendCounts, state: ChunkState): Count {
  return states[state] ?? NONE;
}

/** The counts after adding to a state; `added` may be negative. */
export function withCountAdded(counts: SendCounts, state: ChunkState, added: Count): SendCounts {
  const before = countOf(counts, state);
  const after = { chunks: before.chunks + added.chunks, messages: before.messages + added.messages };
  const { states } = counts;
  return {
    ...counts,
    states: after.chunks === 0 ? (without(states, state) ?? {}) : { ...states, [state]: after },
  };
}

/** The counts after a chunk changed; `was` is undefined for a new chunk. */
export function withChunkRecounted(counts: SendCounts, was: Counted | undefined, is: Counted): SendCounts {
  return withChunkAdded(was ? withChunkAdded(counts, was, -1) : counts, is, 1);
}

function withChunkAdded(counts: SendCounts, chunk: Counted, sign: 1 | -1): SendCounts {
  const { state, otherStatus, barredFor, size } = chunk;
  const counted = withCountAdded(counts, state, { chunks: sign, messages: sign * size });
  const before = counts.barred ?? {};
  const after =
    barredFor === undefined
      ? counted
      : { ...counted, barred: { ...before, [barredFor]: (before[barredFor] ?? 0) + sign * size } };
  if (otherStatus === undefined) return after;
  // A status of the service may have any name, even "constructor", which every object has in JavaScript.
  const known = new Map(Object.entries(counts.otherStatuses ?? {}));
  const count = (known.get(otherStatus) ?? 0) + sign * size;
  const others = without(counts.otherStatuses, otherStatus);
  return { ...after, otherStatuses: count > 0 ? { ...others, [otherStatus]: count } : others };
}

/** The counts of a stopped send: its pending chunks are cancelled. */
export function withPendingCancelled(counts: SendCounts): SendCounts {
  const rest = { ...counts, states: without(counts.states, 'pending') ?? {} };
  return withCountAdded(rest, 'cancelled', countOf(counts, 'pending'));
}

/** Every state of a send with its count. An undone send has lost its chunks: their messages count as not sent. */
export function tallyOf(send: { record: Pick<SendRecord, 'undone'>; tally: SendCounts }): Tally {
  const { undone } = send.record;
  const counts: SendCounts = undone
    ? { ...withCountAdded(send.tally, 'not_sent', undone), barred: { undone: undone.messages } }
    : send.tally;
  const { states, otherStatuses = {}, barred = {}, creditsUsed } = counts;
  return { states: { ...NO_CHUNKS, ...states }, otherStatuses, barred, creditsUsed };
}
