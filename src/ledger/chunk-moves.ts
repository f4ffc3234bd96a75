import type { ChunkDocument, SendDocument, Work } from './documents.ts';
import type { ChunkState } from './ledger.ts';
import { countOf } from './tally.ts';
import type { Family } from './transitions.ts';

/** How a send's document follows its chunks. All of it is pure: a document in, another one out. */

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
  return countOf(tally, 'pending').chunks + countOf(tally, 'sending').chunks === 0;
}

/** A chunk that is still open takes requests of its family; a final one does not. */
export function isOpen(state: ChunkState): boolean {
  return state === 'pending' || state === 'sending';
}
