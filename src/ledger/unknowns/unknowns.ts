import type { View } from '../../store/view.ts';
import { countOutcome } from '../accounts/outcome-counts.ts';
import { type ChunkDocument, chunkIdOf, chunks } from '../model/chunk-documents.ts';
import type { ChunkRecord, LedgerMessage, Undecidable, UnknownChunks } from '../model/chunk-record.ts';
import type { ChunkState } from '../model/outcome-types.ts';
import { type FoundChunk, findChunks, indexesFrom, isErased, prefetchChunks } from '../model/read-chunks.ts';
import { type SendDocument, sends } from '../model/send-documents.ts';
import { showsOutcome } from '../model/send-states.ts';
import { whyUndecidable } from '../model/unknown-chunks.ts';
import { announceTopics } from '../outbox/announce.ts';
import { withChunkJudgedByWord, withoutJudgement } from '../rules/budget-usage.ts';
import { putSend } from '../rules/put-send.ts';

/** The result of a person's decision on unknown chunks. */
type UnknownDecided = { won: true } | { won: false; why: Undecidable };

/** The chunks, if all may be resent: each once, and only after its deadline. Otherwise the reason why not. */
export function findResends(view: View, of: UnknownChunks): FoundChunk[] | Undecidable | 'too_early' {
  const found = findDecidable(view, of);
  if (typeof found === 'string') return found;
  return found.some(({ document: { deadline = 0 } }) => view.now < deadline) ? 'too_early' : found;
}

/**
 * The messages of these chunks that a late answer reports as sent. If the send is itself a resend, the chunks that it
 * resends count too. 'forgotten' if words or a chunk are gone: then nobody can tell which messages were sent.
 */
export function sentAfterAll(view: View, unknown: UnknownChunks): LedgerMessage[] | 'forgotten' {
  const { send: id, indexes } = unknown;
  const send = view.get(sends, id);
  // While retention deletes the send, some of its chunks are gone already.
  if (!send || send.retention?.left !== undefined) return 'forgotten';
  if (isAnyMissing(view, send, indexes)) return 'forgotten';
  const whole = findChunks(view, id, indexes, 'sent');
  const isSplit = findChunks(view, id, indexes, 'split').length > 0;
  if (isSplit && isAnyMissing(view, send, indexesFrom(send.work.drafted, send.work.chunks)))
    return 'forgotten';
  const parts = isSplit ? otherParts(view, send, indexes, 'sent') : [];
  const isOfThese = ({ record: { parent } }: FoundChunk) => parent !== undefined && indexes.includes(parent);
  const records = recordsOf([...whole, ...parts.filter(isOfThese)]);
  const sent = records.flatMap(({ messages }) => messages);
  if (records.some(({ forgotten }) => forgotten) || sent.some(isErased)) return 'forgotten';
  const { resends } = send.record;
  const before = resends ? sentAfterAll(view, resends) : [];
  return before === 'forgotten' ? before : [...sent, ...before];
}

function isAnyMissing(view: View, send: SendDocument, indexes: number[]): boolean {
  prefetchChunks(view, send, indexes);
  return indexes.some((index) => !view.get(chunks, chunkIdOf({ send: send.record.id, index })));
}

/** Notes that the send `by` resends the chunks of `findResends`. The new send holds credits, so these hold none. */
export function claimResends(view: View, found: FoundChunk[], by: string): void {
  putAll(view, found, { resentAs: by }, 0);
  const [first] = found;
  if (first && showsOutcome(first.send.record)) announceTopics(view, first.send.record);
}

/** Frees the chunks that the send `by` did not resend after all: a person can decide about them again. */
export function releaseResends(view: View, resends: UnknownChunks, by: string): void {
  release(view, resentBy(view, resends, by));
}

/** Which of these chunks, and of the unknown parts of their splits, the send `by` resends. */
export function resentBy(view: View, { send, indexes }: UnknownChunks, by: string): FoundChunk[] {
  const repeated = findChunks(view, send, indexes);
  const parts = repeated[0] ? otherParts(view, repeated[0].send, indexes, 'unknown') : [];
  return [...repeated, ...parts].filter(({ document }) => document.resentAs === by);
}

/** Frees these chunks of one send from their resend, so a person can decide about them again. */
export function release(view: View, found: FoundChunk[]): void {
  const [first] = found;
  if (!first) return;
  let after = first.send;
  for (const { document, record } of found) {
    const { resentAs: _over, judgedByWord, ...chunk } = document;
    if (judgedByWord) {
      after = withoutJudgement(after, chunk);
      delete chunk.judged;
    }
    view.put(chunks, chunkIdOf(record), chunk);
  }
  if (after !== first.send) putSend(view, after.record.id, after);
  if (showsOutcome(first.send.record)) announceTopics(view, first.send.record);
}

/** The send's chunks in this state that come from splits, but for these. */
function otherParts(
  view: View,
  { record, work }: SendDocument,
  but: number[],
  state: ChunkState,
): FoundChunk[] {
  const parts = indexesFrom(work.drafted, work.chunks).filter((index) => !but.includes(index));
  return findChunks(view, record.id, parts, state);
}

/**
 * Writes down a person's word that these unknown chunks were sent: all of them, once, or none. The chunks stay unknown,
 * and the books stay as they are: the word is no receipt.
 */
export function saySent(view: View, of: UnknownChunks, by: string): UnknownDecided {
  const found = findDecidable(view, of);
  if (typeof found === 'string') return { won: false, why: found };
  putAll(view, found, { saidSentBy: by }, 'held');
  const record = found[0]?.send.record;
  // A job's card shows this even while the job runs or waits.
  if (record && (showsOutcome(record) || record.kind === 'job')) announceTopics(view, record);
  return { won: true };
}

/**
 * Takes unknown chunks off the list of decisions because a person said to leave them: all of them or none. A person may
 * still decide about them later.
 */
export function leaveUnknown(view: View, of: UnknownChunks, by: string): UnknownDecided {
  const found = findDecidable(view, of);
  if (typeof found === 'string') return { won: false, why: found };
  for (const { document, record } of found) view.put(chunks, chunkIdOf(record), { ...document, leftBy: by });
  const send = found[0]?.send;
  if (send?.retention) putSend(view, send.record.id, withDecision(send));
  return { won: true };
}

/** The chunks, if a person can decide about all of them. Otherwise the reason why not. */
function findDecidable(view: View, { send, indexes }: UnknownChunks): FoundChunk[] | Undecidable {
  const found = findChunks(view, send, indexes);
  return whyUndecidable(recordsOf(found)) ?? (found.length < indexes.length ? 'not_unknown' : found);
}

function recordsOf(found: FoundChunk[]): ChunkRecord[] {
  return found.map(({ record }) => record);
}

/** Writes a person's word down. A chunk that evidence judged before keeps its figure in the budgets. */
function putAll(
  view: View,
  found: FoundChunk[],
  word: Pick<ChunkDocument, 'resentAs' | 'saidSentBy'>,
  charge: 0 | 'held',
): void {
  const [first] = found;
  if (!first) return;
  let { send } = first;
  for (const { document, record } of found) {
    const isJudged = document.judged !== undefined;
    const { send: after, chunk } = isJudged
      ? { send, chunk: document }
      : withChunkJudgedByWord({ send, chunk: document }, charge);
    view.put(chunks, chunkIdOf(record), countOutcome(view, send, document, { ...chunk, ...word }));
    send = after;
  }
  send = withDecision(send);
  if (send !== first.send) putSend(view, send.record.id, send);
}

/** The send after a person's decision: retention kept its words only for that, and may delete them now. */
function withDecision(send: SendDocument): SendDocument {
  return send.retention ? { ...send, retention: { ...send.retention, isDecided: true } } : send;
}
