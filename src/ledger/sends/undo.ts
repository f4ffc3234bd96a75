import type { View } from '../../store/view.ts';
import type { Undo, UndoResult } from '../model/decision-types.ts';
import { type SendDocument, sends } from '../model/send-documents.ts';
import { isUnderWay, withDetails } from '../model/send-states.ts';
import { countOf } from '../model/tally.ts';
import { announceTopics } from '../outbox/announce.ts';
import { announceRequest } from '../rules/approvals.ts';
import { putSend } from '../rules/put-send.ts';
import { countHeldBack } from '../rules/repeats-held-back.ts';
import { deleteChunks } from './draft-chunks.ts';
import { releaseAll } from './finish-send.ts';

/**
 * running | paused → cancelled, if nothing of the send was ever taken, even after `startsAt`. A `take` writes the same
 * document, so one of them wins. The send loses its chunks, and gives back what its decision took.
 */
export function undo(view: View, id: string, { by, details, keeps }: Undo): UndoResult {
  const send = view.get(sends, id);
  if (!send) return { won: false };
  const { record } = send;
  // Undone before: write it again, so that the replicas confirm it. A read alone may show what no replica has.
  if (record.undoneBy !== undefined) view.put(sends, id, send);
  if (!isUnderWay(record.state) || send.work.next > 0) return { won: false, send: record };
  const { pauseReason: _over, ifUndone = {}, ...rest } = withDetails(record, details);
  const after = cancelled(view, { ...send, record: { ...withDetails(rest, ifUndone), keeps, undoneBy: by } });
  return { won: true, send: after.record };
}

/** Cancels a send before any part of it is taken. What `decide` reserves for a rule is released here, and only here. */
function cancelled(view: View, send: SendDocument): SendDocument {
  const { record, work } = send;
  releaseAll(view, record);
  const { repeated = 0 } = send.tally.barred ?? {};
  if (repeated > 0) countHeldBack(view, record, -repeated, record.decidedAt);
  const { staleAt: _over, ...idle } = work;
  const after = deleteChunks(view, {
    ...send,
    record: { ...record, state: 'cancelled', endedAt: view.now, undone: countOf(send.tally, 'pending') },
    work: idle,
  });
  putSend(view, record.id, after);
  announceTopics(view, after.record);
  announceRequest(view, after.record);
  return after;
}
