import { upTo } from '../../store/keys.ts';
import type { View } from '../../store/view.ts';
import { chunkIdOf, chunks } from '../model/chunk-documents.ts';
import { deleteSomeOver } from '../model/over.ts';
import { indexesFrom, prefetchChunks, wasNeverTaken } from '../model/read-chunks.ts';
import { sends } from '../model/send-documents.ts';
import { namedStates, outbox } from '../outbox/outbox-documents.ts';
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
    room -= left - first + 1;
    if (first > 0) putSend(view, id, { ...send, retention: { ...send.retention, left: first } });
    else view.delete(sends, id);
    done += 1;
  }
  return done;
}

/**
 * Deletes some outbox rows that are about no send and were posted until `before`. Deletes some named states that were
 * over `slackMs` before that, too. Returns how many.
 */
export function deleteOver(view: View, before: number, slackMs: number): number {
  view.allowUnsynced();
  const [states, rows] = view.together(
    () => deleteSomeOver(view, namedStates, before - slackMs),
    () => deleteSomeOver(view, outbox, before),
  );
  return states + rows;
}

/** Deletes budgets whose period ended until then, as many as one step may. Returns how many. */
export function deleteBudgets(view: View, endedBefore: number): number {
  view.allowUnsynced();
  return deleteSomeOver(view, budgets, endedBefore);
}
