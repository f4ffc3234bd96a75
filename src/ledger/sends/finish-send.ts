import type { View } from '../../store/view.ts';
import { hasNoOpenChunk } from '../model/chunk-progress.ts';
import type { SendDocument } from '../model/send-documents.ts';
import { hasEnded } from '../model/send-states.ts';
import { announceTopics } from '../outbox/announce.ts';

/**
 * The send, finished if nothing of it is open any more. Its topics become due when it ends, and on every later change: a
 * late answer changes what people were told.
 */
export function finishedIfDone(view: View, send: SendDocument): SendDocument {
  if (!hasNoOpenChunk(send)) return send;
  const { pauseReason: _over, ...record } = send.record;
  const isOver = record.state === 'running' || record.state === 'paused';
  const { staleAt: _past, ...work } = send.work;
  const after: SendDocument = isOver
    ? { ...send, record: { ...record, state: 'finished', endedAt: view.now }, work }
    : send;
  if (hasEnded(after.record)) announceTopics(view, after.record);
  return after;
}
