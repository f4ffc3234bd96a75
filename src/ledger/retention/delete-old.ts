import { upTo } from '../../store/keys.ts';
import type { View } from '../../store/view.ts';
import { namedStates } from '../accounts/named-states.ts';
import { chunkIdOf, chunks } from '../model/chunk-documents.ts';
import { deleteSomeOver } from '../model/over.ts';
import { indexesFrom, prefetchChunks, wasNeverTaken } from '../model/read-chunks.ts';
import { sends } from '../model/send-documents.ts';
import { optOuts } from '../opt-outs/opt-out-documents.ts';
import { outbox } from '../outbox/outbox-documents.ts';
import { putSend } from '../rules/put-send.ts';
import { budgets } from '../rules/rule-documents.ts';
import { MOST_CHUNKS, MOST_SENDS } from './forget-ended.ts';

/** Deletes some forgotten sends that ended until `endedBefore`. Returns on how many it worked; 0 if none is left. */
export function deleteForgotten(view: View, endedBefore: number): number {
  view.allowUnsynced();
  const old = view.list(sends, 'forgotten', upTo([], endedBefore), { limit: MOST_SENDS });
  let room = MOST_CHUNKS;
  let done = 0;
  for (const { id, value: send } of old) {
    if (!send.retention || room <= 0) continue;
    const { left = send.work.chunks } = send.retention;
    const first = Math.max(0, left - room);
    prefetchChunks(view, send, indexesFrom(first, left));
    for (const index of indexesFrom(first, left)) {
      if (!wasNeverTaken(send, index)) view.delete(chunks, chunkIdOf({ send: id, index }));
    }
    // Its chunks, and the send itself.
    room -= left - first + 1;
    if (first > 0) putSend(view, id, { ...send, retention: { ...send.retention, left: first } });
    else view.delete(sends, id);
    done += 1;
  }
  return done;
}

/** What is deleted some time after it is over. `rows` of the outbox: those that are about no send. */
const OVER = { rows: outbox, states: namedStates, budgets, optIns: optOuts };

/** Deletes some that were over until then. Returns how many; 0 if none is left. */
export function deleteOver(view: View, what: keyof typeof OVER, until: number): number {
  view.allowUnsynced();
  return deleteSomeOver<never>(view, OVER[what], until);
}
