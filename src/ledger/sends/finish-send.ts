import type { View } from '../../store/view.ts';
import { chunkIdOf, chunks } from '../model/chunk-documents.ts';
import { indexesFrom, prefetchChunks } from '../model/read-chunks.ts';
import { hasNoOpenChunk, type SendDocument, sends } from '../model/send-documents.ts';
import type { SendRecord } from '../model/send-record.ts';
import { hasEnded, isUnderWay, mayHaveGoneOut } from '../model/send-states.ts';
import { countOf } from '../model/tally.ts';
import { announceTopics } from '../outbox/announce.ts';
import { release, resentBy } from '../unknowns/resends.ts';
import { releaseUnreached } from './release-unreached.ts';

/**
 * Finishes a send if nothing of it is open any more; returns the send to put. Its topics become due when it ends, and
 * on every later change: a late answer changes what people have read. If a resend surely texted nobody, all its unknown
 * texts need a decision again. If somebody stopped it, the chunks that it never reached do.
 */
export function finishIfDone(view: View, send: SendDocument): SendDocument {
  if (!hasNoOpenChunk(send)) return send;
  const { pauseReason: _over, ...record } = send.record;
  const { staleAt: _past, ...work } = send.work;
  const after: SendDocument = isUnderWay(record.state)
    ? { ...send, record: { ...record, state: 'finished', endedAt: view.now }, work }
    : send;
  if (!hasEnded(after.record)) return after;
  const { state, resends } = after.record;
  // Nobody knows what such a resend never reached: an answer may still show that it was sent.
  if (resends && !mayHaveGoneOut(after.record)) {
    if (wentNowhere(view, after)) releaseAll(view, after.record);
    else if (state === 'stopped') releaseUnreached(view, resends, after);
  }
  announceTopics(view, after.record);
  return after;
}

/**
 * Frees all that a send would have resent. It may be the resend of a resend, which a late answer has rejected: then what
 * that one would have resent is free, too.
 */
export function releaseAll(view: View, { id, resends }: SendRecord): void {
  if (!resends) return;
  release(view, resentBy(view, resends, id));
  const first = view.get(sends, resends.send);
  const isOver = first && hasEnded(first.record) && hasNoOpenChunk(first) && !mayHaveGoneOut(first.record);
  if (isOver && wentNowhere(view, first)) releaseAll(view, first.record);
}

/** Whether the send surely texted nobody, and no resend of it did. */
function wentNowhere(view: View, send: SendDocument): boolean {
  const { work, tally } = send;
  const { id } = send.record;
  if (countOf(tally, 'sent').chunks + countOf(tally, 'unknown').chunks > 0) return false;
  const indexes = indexesFrom(0, work.chunks);
  prefetchChunks(view, send, indexes);
  const found = indexes.map((index) => view.get(chunks, chunkIdOf({ send: id, index })));
  // More chunks than the cancelled ones have no outcome: some are lost, and nobody can tell whether those were resent.
  const open = found.filter((chunk) => !chunk || chunk.state === 'pending' || chunk.state === 'cancelled');
  if (open.length > countOf(tally, 'cancelled').chunks) return false;
  return found.every((chunk) => chunk?.resentAs === undefined);
}
