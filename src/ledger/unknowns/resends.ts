import type { View } from '../../store/view.ts';
import { chunkIdOf, chunks } from '../model/chunk-documents.ts';
import type { LedgerMessage, Undecidable, UnknownChunks } from '../model/chunk-record.ts';
import type { ChunkState } from '../model/outcome-types.ts';
import { type FoundChunk, findChunks, indexesFrom, isErased, prefetchChunks } from '../model/read-chunks.ts';
import { type SendDocument, sends } from '../model/send-documents.ts';
import { showsOutcome } from '../model/send-states.ts';
import { announceTopics } from '../outbox/announce.ts';
import { withoutJudgement } from '../rules/budget-usage.ts';
import { putSend } from '../rules/put-send.ts';
import { findDecidable, putDecision } from './decide-unknown.ts';

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
  const records = [...whole, ...parts.filter(isOfThese)].map(({ record }) => record);
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
  putDecision(view, found, { resentAs: by }, 0);
  const [first] = found;
  if (first && showsOutcome(first.send.record)) announceTopics(view, first.send.record);
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
