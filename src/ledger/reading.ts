import { at } from '../store/collection.ts';
import type { View } from '../store/view.ts';
import { type ChunkDocument, chunks, nameOf, type SendDocument, sends, texts } from './documents.ts';
import type { ChunkRecord, ChunkRef, ChunkState, FirstOf, LedgerMessage } from './ledger.ts';
import { sizeAt } from './sizes.ts';

/** A chunk with its document, and that of its send. */
export interface FoundChunk {
  send: SendDocument;
  document: ChunkDocument;
  record: ChunkRecord;
}

/** Chunks by their indexes, in this order; those that are not there, or in another state, are left out. */
export function findChunks(view: View, id: string, indexes: number[], state?: ChunkState): FoundChunk[] {
  const send = view.get(sends, id);
  if (!send) return [];
  const there = indexes.filter((index) => index < send.work.chunks);
  for (const index of there) {
    if (!isFresh(send, index)) view.need(at(chunks, nameOf({ send: id, index })));
  }
  // The texts of a long list are far longer than all else about it.
  const found = there.filter((index) => state === undefined || stateOf(view, send, index) === state);
  for (const index of found) if (!send.messages) view.need(at(texts, nameOf({ send: id, index })));
  return found.map((index) => {
    const document = documentOf(view, send, { send: id, index });
    const ref = { send: id, index };
    return { send, document, record: recordOf(ref, document, messagesOf(view, send, ref)) };
  });
}

function stateOf(view: View, send: SendDocument, index: number): ChunkState {
  const { id } = send.record;
  const document = isFresh(send, index) ? undefined : view.get(chunks, nameOf({ send: id, index }));
  const state = document?.state ?? 'pending';
  return state === 'pending' && send.record.state === 'stopped' ? 'cancelled' : state;
}

/** A send with its first chunk, if it has any. */
export function first(view: View, id: string): FirstOf | undefined {
  const send = view.get(sends, id)?.record;
  if (!send) return undefined;
  const [found] = findChunks(view, id, [0]);
  return found ? { send, chunk: found.record } : { send };
}

/** One chunk, if there is one. */
export function findChunk(view: View, { send, index }: ChunkRef): FoundChunk | undefined {
  return findChunks(view, send, [index])[0];
}

/** A chunk's document; of one that was never taken, what it would say. */
export function documentOf(view: View, send: SendDocument, ref: ChunkRef): ChunkDocument {
  const document = isFresh(send, ref.index) ? undefined : view.get(chunks, nameOf(ref));
  const stands: ChunkDocument = document ?? {
    state: 'pending',
    attempt: 0,
    refusals: 0,
    size: sizeOf(view, send, ref),
    root: ref.index,
  };
  // What waits when its send is stopped is cancelled then, all of it by that one document.
  const { state, endedAt } = send.record;
  if (state !== 'stopped' || stands.state !== 'pending') return stands;
  return { ...stands, state: 'cancelled', ...(endedAt === undefined ? {} : { settledAt: endedAt }) };
}

/** Whether a chunk was drafted and never taken. */
function isFresh({ work: { next, drafted } }: SendDocument, index: number): boolean {
  return index >= next && index < drafted;
}

/** How many messages a chunk holds that was drafted and never taken. */
function sizeOf(view: View, send: SendDocument, ref: ChunkRef): number {
  return sizeAt(send.work.sizes ?? [], ref.index) ?? messagesOf(view, send, ref).length;
}

/** What people and core see of a chunk. */
export function recordOf(ref: ChunkRef, document: ChunkDocument, messages: LedgerMessage[]): ChunkRecord {
  const { size: _size, root: _root, lane: _lane, neverStarted: _never, ...record } = document;
  return { send: ref.send, index: ref.index, ...record, messages };
}

/** What a chunk says, and to whom. */
function messagesOf(view: View, send: SendDocument, ref: ChunkRef): LedgerMessage[] {
  return send.messages ?? textsOf(view, ref);
}

/** The same, of a job's chunk. */
export function textsOf(view: View, ref: ChunkRef): LedgerMessage[] {
  const messages = view.get(texts, nameOf(ref));
  if (!messages) throw new Error(`the messages of ${nameOf(ref)} are not there`);
  return messages;
}
