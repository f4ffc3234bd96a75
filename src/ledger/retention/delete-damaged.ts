import { upTo } from '../../store/keys.ts';
import type { View } from '../../store/view.ts';
import { putChunk } from '../accounts/accounts.ts';
import { chunkIdOf, chunks, texts } from '../model/chunk-documents.ts';
import type { ChunkRef } from '../model/chunk-record.ts';
import { indexesFrom } from '../model/read-chunks.ts';
import { sends } from '../model/send-documents.ts';
import { MOST_CHUNKS } from './forget-ended.ts';

/**
 * Deletes one damaged send with its chunks. With `team`: one of that workspace that ended until `endedBefore`. Without:
 * one that waited for its end until then. Its index entries still say when. Returns how many it deleted: 0 if none is
 * left.
 */
export function deleteDamaged(view: View, endedBefore: number, team?: string): number {
  view.allowUnsynced();
  const [index, place] = team === undefined ? (['look', []] as const) : (['kept', [team]] as const);
  const [id] = view.listDamaged(sends, index, upTo([...place], endedBefore));
  if (id === undefined) return 0;
  // Nobody knows how many chunks there are.
  for (let first = 0; deleteChunksFrom(view, id, first) > 0; first += MOST_CHUNKS);
  // Read it: the commit compares it.
  view.get(sends, id);
  view.delete(sends, id);
  return 1;
}

/** Deletes the remains of the next chunks. Returns how many of them had any. */
function deleteChunksFrom(view: View, send: string, first: number): number {
  const refs = indexesFrom(first, first + MOST_CHUNKS).map((index) => ({ send, index }));
  const names = refs.map(chunkIdOf);
  view.prefetch(chunks, ...names);
  view.prefetch(texts, ...names);
  return refs.filter((ref) => deleteChunk(view, ref)).length;
}

function deleteChunk(view: View, ref: ChunkRef): boolean {
  const name = chunkIdOf(ref);
  const [chunk, messages] = [view.get(chunks, name), view.get(texts, name)];
  const isDamaged = view.isDamaged(chunks, name) || view.isDamaged(texts, name);
  if (!chunk && !messages && !isDamaged) return false;
  // Its account no longer waits for it.
  if (chunk) putChunk(view, ref, chunk, { ...chunk, state: 'cancelled' });
  view.delete(chunks, name);
  view.delete(texts, name);
  return true;
}
