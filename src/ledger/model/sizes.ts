import type { LedgerMessage } from './chunk-record.ts';

/** How many messages each chunk holds, as runs of equal chunks, in order: nearly all chunks are full. */
export type ChunkSizes = [chunks: number, messages: number][];

export function withSizesAdded(sizes: ChunkSizes, lists: LedgerMessage[][]): ChunkSizes {
  const after = [...sizes];
  for (const { length } of lists) {
    const [count = 0, last] = after.at(-1) ?? [];
    if (last === length) after[after.length - 1] = [count + 1, length];
    else after.push([1, length]);
  }
  return after;
}

/** How many messages a chunk holds; undefined if there is no such chunk. */
export function chunkSizeAt(sizes: ChunkSizes, index: number): number | undefined {
  let end = 0;
  for (const [chunks, messages] of sizes) {
    end += chunks;
    if (index < end) return messages;
  }
  return undefined;
}
