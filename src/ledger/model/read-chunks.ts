import type { View } from '../../store/view.ts';
import { type ChunkDocument, chunkIdOf, chunks, texts } from './chunk-documents.ts';
import type { ChunkRecord, ChunkRef, LedgerMessage } from './chunk-record.ts';
import { defined } from './defined.ts';
import type { ChunkState } from './outcome-types.ts';
import { isForgotten, type SendDocument, sends } from './send-documents.ts';
import type { SendWithFirstChunk } from './send-record.ts';
import { chunkSizeAt } from './sizes.ts';

/** A chunk with its document, and that of its send. */
export interface FoundChunk {
  send: SendDocument;
  document: ChunkDocument;
  record: ChunkRecord;
}

/** Chunks by their indexes, in this order. Leaves out missing chunks, and chunks in another state. */
export function findChunks(view: View, id: string, indexes: number[], state?: ChunkState): FoundChunk[] {
  const send = view.get(sends, id);
  if (!send) return [];
  const there = indexes.filter((index) => index < send.work.chunks);
  prefetchChunks(view, send, there);
  // The texts of a long list are far longer than everything else about it: read only those that are needed.
  const found = there.filter((index) => state === undefined || stateOf(view, send, index) === state);
  for (const index of found)
    if (!send.messages && !isForgotten(send)) view.prefetch(texts, chunkIdOf({ send: id, index }));
  return found.map((index) => {
    const ref = { send: id, index };
    const document = chunkDocumentOf(view, send, ref);
    const messages = document.forgotten ? [] : messagesOf(view, send, ref);
    return { send, document, record: chunkRecordOf(ref, document, messages) };
  });
}

/** Prefetches the documents of chunks. A chunk that was never taken has none. */
export function prefetchChunks(view: View, send: SendDocument, indexes: number[]): void {
  const { id } = send.record;
  for (const index of indexes) {
    if (!wasNeverTaken(send, index)) view.prefetch(chunks, chunkIdOf({ send: id, index }));
  }
}

/** A chunk's state, as `chunkDocumentOf` says it, but read without its texts. */
function stateOf(view: View, send: SendDocument, index: number): ChunkState {
  const { id, state } = send.record;
  const document = wasNeverTaken(send, index) ? undefined : view.get(chunks, chunkIdOf({ send: id, index }));
  const current = document?.state ?? lostAttempt(send, index).state ?? 'pending';
  return state === 'stopped' && current === 'pending' ? 'cancelled' : current;
}

/** A send with its first chunk, the only one of a single text. Withdrawn and expired drafts have no chunk. */
export function sendWithFirstChunk(view: View, id: string): SendWithFirstChunk | undefined {
  const send = view.get(sends, id)?.record;
  if (!send) return undefined;
  const [found] = findChunks(view, id, [0]);
  return found ? { send, chunk: found.record } : { send };
}

export function findChunk(view: View, { send, index }: ChunkRef): FoundChunk | undefined {
  return findChunks(view, send, [index])[0];
}

/** Chunks of any sends, without missing ones. Reads all of them together: a step begins again for whatever it lacks. */
export function findEachChunk(view: View, refs: ChunkRef[]): FoundChunk[] {
  const found = view.together<(FoundChunk | undefined)[]>(...refs.map((ref) => () => findChunk(view, ref)));
  return found.filter((one) => one !== undefined);
}

/** A chunk's document. For a chunk that was never taken, its send says everything. */
export function chunkDocumentOf(view: View, send: SendDocument, ref: ChunkRef): ChunkDocument {
  const document = wasNeverTaken(send, ref.index) ? undefined : view.get(chunks, chunkIdOf(ref));
  const isPast = ref.index < (send.retention?.next ?? 0);
  const current: ChunkDocument = document ?? {
    state: 'pending',
    attempt: 0,
    ...lostAttempt(send, ref.index),
    size: isPast ? (chunkSizeAt(send.work.sizes ?? [], ref.index) ?? 0) : sizeOf(view, send, ref),
    root: ref.index,
    ...(isPast && { forgotten: true }),
  };
  // Stopping a send cancels its pending chunks, and writes none of their documents.
  const { state, endedAt } = send.record;
  if (state !== 'stopped' || current.state !== 'pending') return current;
  return { ...current, state: 'cancelled', ...(endedAt === undefined ? {} : { settledAt: endedAt }) };
}

/**
 * What the send says of a chunk in flight whose document is lost. Recovery makes it unknown, like others. Nobody knows
 * its attempts: so an answer to the chunk counts, as if the store had forgotten the attempt.
 */
function lostAttempt({ record, work }: SendDocument, index: number): Partial<ChunkDocument> {
  const deadline = work.inFlight?.[index];
  if (deadline === undefined) return {};
  return { state: 'sending', attempt: 0, deadline, ...defined({ account: record.account }) };
}

export function wasNeverTaken({ work: { next, drafted } }: SendDocument, index: number): boolean {
  return index >= next && index < drafted;
}

/** The indexes of chunks from `first` on, below `end`. */
export function indexesFrom(first: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - first) }, (_, offset) => first + offset);
}

function sizeOf(view: View, send: SendDocument, ref: ChunkRef): number {
  return chunkSizeAt(send.work.sizes ?? [], ref.index) ?? messagesOf(view, send, ref).length;
}

/** What people and core see of a chunk. */
export function chunkRecordOf(
  ref: ChunkRef,
  document: ChunkDocument,
  messages: LedgerMessage[],
): ChunkRecord {
  // In one piece: each `...` copies the document once more, and every take and settlement comes through here.
  const {
    size: _size,
    root: _root,
    rateLimitKey: _key,
    neverStarted: _never,
    chargeFound: _charge,
    listed: _listed,
    judged: _judged,
    judgedByWord: _word,
    countedIn: _day,
    owner: _owner,
    mayHaveEnded: _may,
    ...record
  } = document;
  return { send: ref.send, index: ref.index, refusals: 0, ...record, messages };
}

/** A chunk's messages. An erased message has only its row left. */
export function messagesOf(view: View, send: SendDocument, ref: ChunkRef): LedgerMessage[] {
  const messages = send.messages ?? messagesOfJobChunk(view, ref);
  const erased = send.erased?.[ref.index];
  return erased
    ? messages.map((message, at) => (erased.includes(at) ? withoutWords(message) : message))
    : messages;
}

/** The rest of a message after its erasure. */
export function withoutWords({ row }: LedgerMessage): LedgerMessage {
  return { phone: '', text: '', ...(row !== undefined && { row }) };
}

/** Whether words and number of a message are gone: an operator erased them, or the store has lost them. */
export function isErased({ phone }: LedgerMessage): boolean {
  return phone === '';
}

/** The messages of a job's chunk. Lost messages count as erased: nobody can send them, and the job goes on. */
export function messagesOfJobChunk(view: View, ref: ChunkRef): LedgerMessage[] {
  return view.get(texts, chunkIdOf(ref)) ?? lostMessages(view, ref);
}

function lostMessages(view: View, ref: ChunkRef): LedgerMessage[] {
  const { sizes = [] } = view.get(sends, ref.send)?.work ?? {};
  const size = view.get(chunks, chunkIdOf(ref))?.size ?? chunkSizeAt(sizes, ref.index) ?? 0;
  return Array.from({ length: size }, () => withoutWords({ phone: '', text: '' }));
}
