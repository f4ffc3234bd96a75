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
import { nameOf, sharesOf } from './parts-of-attempt.ts';
import { addChild } from './split-children.ts';

/**
 * Somebody stopped the job `by` before it had repeated all of these unknown chunks. Now a person can decide again about
 * the messages that it never reached. If it reached a part of a chunk, splits the chunk first: that part stays resent.
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

/** Retention and erasure know messages by their places. */
function maySplit({ send, record }: FoundChunk): boolean {
  return send.retention === undefined && send.erased?.[record.index] === undefined;
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
  const { deadline = 0, rateLimitKey, chargeFound, judged, judgedByWord, ...rest } = was;
  const parent = countOutcome(view, send, was, { ...rest, state: 'split' });
  putChunk(view, ref, was, parent);
  const { token, account, settledAt = 0, result, evidence, resentAs, leftBy } = was;
  // Its deadline has passed, so the account need not wait for it any more.
  const over = { settledAt, deadline: Math.min(deadline, settledAt) };
  const attempt = defined({ token, account, rateLimitKey });
  const known = defined({ result, evidence, resentAs, leftBy });
  const reached = record.messages.filter((message) => !isUnreached(message));
  const others = record.messages.filter(isUnreached);
  const sizes = [reached.length, others.length];
  const share = (credits: number | undefined, index: number) =>
    credits === undefined ? undefined : sharesOf(credits, sizes)[index];
  let after = withChunkChanged(withoutJudgement(send, was), ref.index, was, parent);
  for (const [index, messages] of [reached, others].entries()) {
    const credits = defined({
      chargeFound: share(chargeFound, index),
      judged: share(judgedByWord ? undefined : judged, index),
    });
    const child = { state: 'unknown' as const, messages, ...over, ...attempt, ...known, ...credits };
    after = addChild(view, after, { ref, root: was.root }, child);
  }
  putSend(view, ref.send, after);
}
