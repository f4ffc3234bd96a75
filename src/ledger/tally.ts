import type { ChunkRecord, ChunkState, Tally } from './ledger.ts';

/** Counts as a send's document keeps them: a state that nothing is in is left out. */
export interface SendCounts {
  states: { [state in ChunkState]?: Count };
  otherStatuses: { [status: string]: number };
  creditsUsed: number;
}

interface Count {
  chunks: number;
  messages: number;
}

/** What counts of a chunk. */
type Counted = Pick<ChunkRecord, 'state' | 'otherStatus'> & { size: number };

const NONE: Count = { chunks: 0, messages: 0 };

/** Counts of nothing. */
export function emptyCounts(): SendCounts {
  return { states: {}, otherStatuses: {}, creditsUsed: 0 };
}

/** What is in a state. */
export function countOf({ states }: SendCounts, state: ChunkState): Count {
  return states[state] ?? NONE;
}

/** The counts with so much more in a state, or less. */
export function withCountAdded(
  counts: SendCounts,
  state: ChunkState,
  { chunks, messages }: Count,
): SendCounts {
  const before = countOf(counts, state);
  const after = { chunks: before.chunks + chunks, messages: before.messages + messages };
  const { [state]: _before, ...states } = counts.states;
  return { ...counts, states: after.chunks === 0 ? states : { ...states, [state]: after } };
}

/** The counts after a chunk changed; `was` is undefined for one that is new. */
export function withChunkRecounted(counts: SendCounts, was: Counted | undefined, is: Counted): SendCounts {
  const others = { ...counts.otherStatuses };
  let after = counts;
  const add = ({ state, otherStatus, size }: Counted, sign: 1 | -1) => {
    after = withCountAdded(after, state, { chunks: sign, messages: sign * size });
    if (otherStatus === undefined) return;
    const other = (others[otherStatus] ?? 0) + sign * size;
    if (other > 0) others[otherStatus] = other;
    else delete others[otherStatus];
  };
  if (was) add(was, -1);
  add(is, 1);
  return { ...after, otherStatuses: others };
}

/** The counts of a stopped send: what waited is cancelled. */
export function withPendingCancelled(counts: SendCounts): SendCounts {
  const { pending: _over, ...states } = counts.states;
  return withCountAdded({ ...counts, states }, 'cancelled', countOf(counts, 'pending'));
}

/** Every state with its count. */
export function tallyOf(counts: SendCounts): Tally {
  const { otherStatuses, creditsUsed } = counts;
  const of = (state: ChunkState) => countOf(counts, state);
  return {
    states: {
      pending: of('pending'),
      sending: of('sending'),
      sent: of('sent'),
      rejected: of('rejected'),
      not_sent: of('not_sent'),
      unknown: of('unknown'),
      cancelled: of('cancelled'),
      split: of('split'),
    },
    otherStatuses,
    creditsUsed,
  };
}
