import type { ChunkRecord, Undecidable } from './chunk-record.ts';

/** What people may decide about unknown chunks. */

type Decidable = Pick<ChunkRecord, 'state' | 'resentAs' | 'saidSentBy' | 'forgotten'>;

/**
 * Why a person can decide nothing about these chunks: one is not unknown, was resent, or was sent by somebody's word.
 * Undefined if a person can decide.
 */
export function whyUndecidable(chunks: Decidable[]): Undecidable | undefined {
  if (chunks.some((chunk) => chunk.state !== 'unknown' || chunk.forgotten)) return 'not_unknown';
  if (chunks.some((chunk) => chunk.resentAs !== undefined)) return 'resent_already';
  return chunks.some((chunk) => chunk.saidSentBy !== undefined) ? 'said_sent' : undefined;
}

/** Whether a person may still decide what becomes of an unknown chunk. */
export function isDecidable(chunk: Decidable): boolean {
  return whyUndecidable([chunk]) === undefined;
}

/** Whether an unknown chunk waits for a person: somebody may decide, and nobody has left it as it is. */
export function isUndecided(chunk: Decidable & Pick<ChunkRecord, 'leftBy'>): boolean {
  return isDecidable(chunk) && chunk.leftBy === undefined;
}
