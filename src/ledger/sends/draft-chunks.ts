import type { View } from '../../store/view.ts';
import { type ChunkDocument, chunkIdOf, chunks, texts } from '../model/chunk-documents.ts';
import type { LedgerMessage, LeftOut, LeftOutPart } from '../model/chunk-record.ts';
import type { Decision } from '../model/decision-types.ts';
import type { DraftRepeats } from '../model/repeat-types.ts';
import { type SendDocument, sends } from '../model/send-documents.ts';
import { withDetails } from '../model/send-states.ts';
import { chunkSizeAt, withSizesAdded } from '../model/sizes.ts';
import { emptyCounts, withChunkRecounted, withCountAdded } from '../model/tally.ts';
import { putSend } from '../rules/put-send.ts';
import { countHeldBack } from '../rules/repeats-held-back.ts';

/** The chunks of a draft: chunks to send, chunks that repeat earlier sends, and chunks that are left out. */

/**
 * Adds chunks at the end of a draft, for lists too long for one step. With `repeats`, these are the last chunks: texts
 * that others sent, which the decision includes or leaves out.
 * @throws Error if it is no draft, or has messages that are left out
 */
export function appendChunks(view: View, id: string, lists: LedgerMessage[][], repeats?: DraftRepeats): void {
  const send = draftOfJob(view, id);
  if (send.work.chunks > send.work.drafted) throw new Error(`the draft ${id} has its last chunks already`);
  append(view, repeats ? withRepeats(send, lists.length, repeats) : send, lists);
}

function withRepeats(send: SendDocument, count: number, { details, keeps }: DraftRepeats): SendDocument {
  const { record, work } = send;
  return {
    ...send,
    record: { ...withDetails(record, details), keeps },
    work: { ...work, repeated: (work.repeated ?? 0) + count },
  };
}

/**
 * Adds messages that are not sent to a draft of a job, after all of its chunks. They have their outcome already. The
 * look-up by number leaves them out: nobody wanted to text them.
 */
export function appendLeftOut(view: View, id: string, parts: LeftOutPart[]): void {
  let send = draftOfJob(view, id);
  for (const { messages, ...why } of parts) {
    const index = send.work.chunks;
    view.put(texts, chunkIdOf({ send: id, index }), messages);
    const { work } = send;
    send = {
      ...send,
      work: { ...work, chunks: work.chunks + 1 },
      tally: putLeftOut(view, send, { index, size: messages.length, why }),
    };
  }
  putSend(view, id, send);
}

/** Writes a chunk that is not sent. Returns its send's counts with it. */
function putLeftOut(
  view: View,
  { record: { id: send }, tally }: SendDocument,
  { index, size, why }: { index: number; size: number; why: LeftOut },
): SendDocument['tally'] {
  const chunk: ChunkDocument = {
    ...why,
    state: 'not_sent',
    attempt: 0,
    refusals: 0,
    settledAt: view.now,
    listed: 'n',
    size,
    root: index,
  };
  view.put(chunks, chunkIdOf({ send, index }), chunk);
  return withChunkRecounted(tally, undefined, chunk);
}

function draftOfJob(view: View, id: string): SendDocument {
  const send = view.get(sends, id);
  if (send?.record.state !== 'draft') throw new Error(`the send ${id} is no draft any more`);
  if (send.messages) throw new Error(`the send ${id} is a single text`);
  return send;
}

/** Writes a draft with more chunks. */
export function append(view: View, send: SendDocument, lists: LedgerMessage[][]): void {
  const { id } = send.record;
  for (const [offset, messages] of lists.entries()) {
    view.put(texts, chunkIdOf({ send: id, index: send.work.chunks + offset }), messages);
  }
  const { chunks, sizes = chunks === 0 ? [] : undefined } = send.work;
  const after = withChunks(send, lists);
  const sized = sizes ? { sizes: withSizesAdded(sizes, lists) } : {};
  putSend(view, id, { ...after, work: { ...after.work, ...sized } });
}

/** A send with more chunks to send. Writes nothing. */
export function withChunks(send: SendDocument, lists: LedgerMessage[][]): SendDocument {
  const { work, tally } = send;
  const messages = lists.reduce((sum, { length }) => sum + length, 0);
  const count = work.chunks + lists.length;
  return {
    ...send,
    work: { ...work, chunks: count, drafted: count },
    tally: withCountAdded(tally, 'pending', { chunks: lists.length, messages }),
  };
}

/** How many chunks go by this decision. */
export function sentChunks({ work: { drafted, repeated = 0 } }: SendDocument, { repeats }: Decision): number {
  return repeats === 'include' ? drafted : drafted - repeated;
}

/** Includes a list's repeats, or writes them as left out. Returns the send, for the caller to put. */
export function decideRepeats(view: View, send: SendDocument, decision: Decision): SendDocument {
  const { repeated, ...work } = send.work;
  if (repeated === undefined) return send;
  const kept = work.drafted - repeated;
  const { repeats } = decision;
  if (repeats === 'include') return { ...send, record: { ...send.record, repeatsFrom: kept }, work };
  if (!repeats) throw new Error(`the decision on ${send.record.id} does not say what becomes of its repeats`);
  const { sizes = [] } = work;
  let { tally } = send;
  let messages = 0;
  for (let index = kept; index < work.drafted; index += 1) {
    const size = chunkSizeAt(sizes, index) ?? 0;
    tally = putLeftOut(view, { ...send, tally }, { index, size, why: repeats });
    messages += size;
  }
  countHeldBack(view, send.record, messages);
  return {
    ...send,
    work: { ...work, drafted: kept },
    tally: withCountAdded(tally, 'pending', { chunks: -repeated, messages: -messages }),
  };
}

/** Deletes the chunks of a send that texted nobody. Returns the send, for the caller to put. */
export function deleteChunks(view: View, send: SendDocument): SendDocument {
  const { messages, ...rest } = send;
  const { id } = send.record;
  const { chunks: count, drafted } = send.work;
  const names = Array.from({ length: messages ? 0 : count }, (_, index) => chunkIdOf({ send: id, index }));
  // Only chunks of messages that are left out have documents already.
  const leftOut = names.slice(drafted);
  view.prefetch(chunks, ...leftOut);
  for (const name of leftOut) view.delete(chunks, name);
  for (const name of names) view.delete(texts, name);
  return { ...rest, work: { ...send.work, chunks: 0, drafted: 0, sizes: [] }, tally: emptyCounts() };
}
