import type { View } from '../../store/view.ts';
import { putChunk } from '../accounts/accounts.ts';
import { countOutcome } from '../accounts/outcome-counts.ts';
import { chunkIdOf, texts } from '../model/chunk-documents.ts';
import { withChunkChanged } from '../model/chunk-progress.ts';
import type { LedgerMessage, UnknownChunks } from '../model/chunk-record.ts';
import { defined } from '../model/defined.ts';
import {
  chunkDocumentOf,
  type FoundChunk,
  findChunk,
  indexesFrom,
  isErased,
  messagesOf,
  prefetchChunks,
} from '../model/read-chunks.ts';
import type { SendDocument } from '../model/send-documents.ts';
import { countOf } from '../model/tally.ts';
import { withoutJudgement } from '../rules/budget-usage.ts';
import { putSend } from '../rules/put-send.ts';
import { release, resentBy } from '../unknowns/unknowns.ts';
import { addChild } from './split-children.ts';

/**
 * Somebody stopped the job `by` before it had repeated all of these unknown chunks. Now a person can decide again about
 * the messages that it never reached. If it reached a part of a chunk, splits the chunk first: that part stays resent. A
 * chunk whose answer may still come is never split: all of it stays resent.
 */
export function releaseUnreached(view: View, resends: UnknownChunks, by: SendDocument): void {
  const unreached = new Set(cancelledMessages(view, by).map(nameOf));
  const isUnreached = (message: LedgerMessage) => unreached.has(nameOf(message));
  const unknown = () =>
    resentBy(view, resends, by.record.id).filter(
      ({ record }) => record.state === 'unknown' && record.messages.some(isUnreached),
    );
  for (const { record } of unknown()) {
    // Each split changes the send.
    const found = findChunk(view, record);
    if (found && !record.messages.every(isUnreached) && maySplit(found)) split(view, found, isUnreached);
  }
  const whole = unknown().filter(({ record }) => record.messages.every(isUnreached));
  release(view, whole);
}

/** Retention and erasure know messages by their places, and a late answer finds only its whole chunk. */
function maySplit({ send, document, record }: FoundChunk): boolean {
  const isAnswered = document.result !== undefined;
  return isAnswered && send.retention === undefined && send.erased?.[record.index] === undefined;
}

/** Tells the messages of one send apart: no list has a number twice. */
function nameOf({ phone, text }: LedgerMessage): string {
  return `${phone} ${text}`;
}

function cancelledMessages(view: View, send: SendDocument): LedgerMessage[] {
  const { record, work } = send;
  const indexes = indexesFrom(0, work.chunks);
  prefetchChunks(view, send, indexes);
  const cancelled = indexes
    .map((index) => ({ send: record.id, index }))
    .filter((ref) => chunkDocumentOf(view, send, ref).state === 'cancelled');
  // A chunk that the store has lost seems cancelled, too. Then nobody can tell which messages were never reached.
  if (cancelled.length > countOf(send.tally, 'cancelled').chunks) return [];
  view.prefetch(texts, ...cancelled.map(chunkIdOf));
  return cancelled.flatMap((ref) => messagesOf(view, send, ref)).filter((message) => !isErased(message));
}

/**
 * Splits an unknown chunk into the messages that were reached and the others. Both parts keep what is known of the
 * chunk.
 */
function split(
  view: View,
  { send, document: was, record }: FoundChunk,
  isUnreached: (message: LedgerMessage) => boolean,
): void {
  const ref = { send: record.send, index: record.index };
  const { deadline: _over, rateLimitKey: _key, chargeFound: _charge, judged, judgedByWord, ...rest } = was;
  const parent = countOutcome(view, send, was, { ...rest, state: 'split' });
  putChunk(view, ref, was, parent);
  const { token, account, settledAt, result, evidence, resentAs, leftBy } = was;
  // With its token, a part still explains credits that are missing from the balance.
  const known = defined({ token, account, settledAt, result, evidence, resentAs, leftBy });
  let after = withChunkChanged(withoutJudgement(send, was), ref.index, was, parent);
  for (const isFirst of [true, false]) {
    const messages = record.messages.filter((message) => isUnreached(message) !== isFirst);
    // Budgets count the sum of both parts.
    const credits = judgedByWord || judged === undefined ? {} : { judged: isFirst ? judged : 0 };
    const child = { state: 'unknown' as const, messages, ...known, ...credits };
    after = addChild(view, after, { ref, root: was.root }, child);
  }
  putSend(view, ref.send, after);
}
