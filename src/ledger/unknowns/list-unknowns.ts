import { startingWith } from '../../store/keys.ts';
import type { View } from '../../store/view.ts';
import { chunkRefOf, chunks } from '../model/chunk-documents.ts';
import type { ChunkRecord, ChunkRef } from '../model/chunk-record.ts';
import { findChunk } from '../model/read-chunks.ts';
import { sends } from '../model/send-documents.ts';
import type { SendKind, SendRecord } from '../model/send-record.ts';

/** Asks for unknown chunks that need a decision: of a workspace, or of one channel of it. */
export interface UndecidedQuery {
  team: string;
  channelId?: string;
  kind: SendKind;
  limit: number;
}

/** An unknown chunk that needs a decision, and how many messages it holds. */
export interface UndecidedChunk {
  ref: ChunkRef;
  messages: number;
}

/** Unknown chunks that need a decision, with their sends, oldest first; only those of `team`, if given. */
export function unknowns(view: View, team?: string): { send: SendRecord; chunk: ChunkRecord }[] {
  const listed = view.list(chunks, 'undecided', startingWith([]));
  view.prefetch(sends, ...listed.map(({ id }) => chunkRefOf(id).send));
  return listed
    .flatMap(({ id }) => findChunk(view, chunkRefOf(id)) ?? [])
    .filter(({ send }) => team === undefined || send.record.team === team)
    .map(({ send, record }) => ({ send: send.record, chunk: record }));
}

/** How many unknown messages need a decision, in all workspaces. */
export function countUndecided(view: View): number {
  return view.list(chunks, 'undecided', startingWith([])).reduce((sum, { value }) => sum + value.size, 0);
}

/**
 * The unknown chunks of a workspace or channel that need a decision, newest first, without words or numbers. Cheap to
 * read, however many there are.
 */
export function undecided(view: View, { team, channelId, kind, limit }: UndecidedQuery): UndecidedChunk[] {
  const [index, place] =
    channelId === undefined
      ? (['undecidedOfTeam', [team, kind]] as const)
      : (['undecidedOfChannel', [team, channelId, kind]] as const);
  return view
    .list(chunks, index, startingWith([...place]), { limit, isReverse: true })
    .map(({ id, value: { size: messages } }) => ({ ref: chunkRefOf(id), messages }));
}
