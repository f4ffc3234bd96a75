import type { View } from '../../store/view.ts';
import { hasNoOpenChunk, type SendDocument } from '../model/send-documents.ts';
import { hasEnded, isUnderWay } from '../model/send-states.ts';
import { announceTopics } from '../outbox/announce.ts';

/**
 * Finishes a send if nothing of it is open any more; returns the send to keep. Its topics become due when it ends, and on
 * every later change: a late answer changes what people were told.
 */
export function finishIfDone(view: View, send: SendDocument): SendDocument {
  if (!hasNoOpenChunk(send)) return send;
  const { pauseReason: _over, ...record } = send.record;
  const { staleAt: _past, ...work } = send.work;
  const after: SendDocument = isUnderWay(record.state)
    ? { ...send, record: { ...record, state: 'finished', endedAt: view.now }, work }
    : send;
  if (hasEnded(after.record)) announceTopics(view, after.record);
  return after;
}
