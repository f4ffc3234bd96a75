import type { ChunkRecord, Undecidable } from './chunk-record.ts';

/** What people may decide about unknown chunks. */

type Decidable = Pick<ChunkRecord, 'state' | 'resentAs' | 'saidSentBy' | 'forgotten'>;

/**
 * Why a person can decide nothing about these chunks: one is not unknown, was resent, was sent by somebody's word, or is
 * forgotten. Undefined if a person can decide.
 */
export function whyUndecidable(chunks: Decidable[]): Undecidable | undefined {
  if (chunks.some((chunk) => chunk.state !== 'unknown')) return 'not_unknown';
  if (chunks.some((chunk) => chunk.resentAs !== undefined)) return 'resent_already';
  if (chunks.some((chunk) => chunk.saidSentBy !== undefined)) return 'said_sent';
  return chunks.some((chunk) => chunk.forgotten) ? 'forgotten' : undefined;
}

/** Whether a person may still decide what becomes of an unknown chunk. */
export function isDecidable(chunk: Decidable): boolean {
  return whyUndecidable([chunk]) === undefined;
}

/** Whether an unknown chunk waits for a person: somebody may decide, and nobody has left it as it is. */
export function isUndecided(chunk: Decidable & Pick<ChunkRecord, 'leftBy'>): boolean {
  return isDecidable(chunk) && chunk.leftBy === undefined;
}
