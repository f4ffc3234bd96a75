import type { View } from '../../store/view.ts';
import { chunkIdOf, texts } from '../model/chunk-documents.ts';
import type { LedgerMessage, UnknownChunks } from '../model/chunk-record.ts';
import { chunkDocumentOf, indexesFrom, isErased, messagesOf, prefetchChunks } from '../model/read-chunks.ts';
import type { SendDocument } from '../model/send-documents.ts';
import { countOf } from '../model/tally.ts';
import { release, resentBy } from '../unknowns/resends.ts';

/**
 * Somebody stopped the job `by` before it had repeated all of these unknown chunks. Now a person can decide again about
 * the chunks that it never reached. A chunk that it reached in part stays resent. Erased messages don't count:
 * nobody can resend those.
 */
export function releaseUnreached(view: View, resends: UnknownChunks, by: SendDocument): void {
  const unreached = new Set(cancelledMessages(view, by).map(nameOf));
  const whole = resentBy(view, resends, by.record.id).filter(({ record: { state, messages } }) => {
    const left = messages.filter((message) => !isErased(message));
    return state === 'unknown' && left.length > 0 && left.every((message) => unreached.has(nameOf(message)));
  });
  release(view, whole);
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
