import { startingWith, upTo } from '../../store/keys.ts';
import type { View } from '../../store/view.ts';
import { countActivity, putChunk } from '../accounts/accounts.ts';
import { countOutcome } from '../accounts/outcome-counts.ts';
import { withChunkChanged } from '../model/chunk-progress.ts';
import { repeatMarks } from '../model/once.ts';
import { deleteSomeOver, listOver, OVER_PAGE } from '../model/over.ts';
import { chunkDocumentOf, indexesFrom } from '../model/read-chunks.ts';
import { detailsForgottenAt, type SendDocument, sends } from '../model/send-documents.ts';
import { forgetDetails, hasEnded, isUndecidedSend, mayHoldDetails } from '../model/send-states.ts';
import { announceTopics } from '../outbox/announce.ts';
import { putSend } from '../rules/put-send.ts';
import { deleteOldCounts } from '../rules/repeats-held-back.ts';
import { guards } from '../rules/rule-documents.ts';
import { expire } from './end-draft.ts';
import { finishIfDone } from './finish-send.ts';

const PAGE = 100;

/** Ids of sends that need a look now, the most urgent first. */
export function sendsToRecover(view: View): string[] {
  return view.list(sends, 'look', upTo([], view.now), { limit: PAGE }).map(({ id }) => id);
}

export function needsRecovery(view: View): boolean {
  return view
    .together<unknown[][]>(
      () => sendsToRecover(view),
      () => listOver(view, repeatMarks, view.now),
      () => listOver(view, guards, view.now),
    )
    .some((found) => found.length > 0);
}

export function openSendIds(view: View): string[] {
  const looked = view.list(sends, 'look', startingWith([]));
  const open = view.list(sends, 'open', startingWith([]));
  return [...new Set([...looked, ...open].map(({ id }) => id))];
}

/**
 * Ends what nobody works on any more. Attempts past their deadline become unknown, without a result: no answer came. A
 * draft past its time expires. A single send that waited too long is not sent. Expired and undone sends forget their
 * details later. `isDead`: the process that made the attempts is dead, so their deadlines no longer matter.
 */
export function recoverSend(view: View, id: string, { isDead }: { isDead: boolean }): void {
  const send = view.get(sends, id);
  if (!send) return;
  const { record, work } = send;
  const isOver = isUndecidedSend(record.state) && record.expiresAt <= view.now;
  const draft = isOver ? expire(view, send) : send;
  if (mayHoldDetails(draft.record)) {
    const forgets = detailsForgottenAt(draft.record) <= view.now;
    if (forgets) putSend(view, id, { ...draft, record: forgetDetails(draft.record) });
    return;
  }
  const lost = Object.entries(work.inFlight ?? {}).flatMap(([index, deadline]) =>
    isDead || deadline <= view.now ? [Number(index)] : [],
  );
  const isStale = record.state === 'running' && (work.staleAt ?? Number.POSITIVE_INFINITY) <= view.now;
  const waiting = isStale
    ? [...Object.keys(work.back ?? {}).map(Number), ...indexesFrom(work.next, work.drafted)]
    : [];
  if (lost.length === 0 && waiting.length === 0) return;
  let after = send;
  for (const index of lost) after = recoverChunk(view, after, index, 'unknown');
  for (const index of waiting) after = recoverChunk(view, after, index, 'not_sent');
  after = finishIfDone(view, after);
  putSend(view, id, after);
  // The card of a job that has not ended shows its unknown texts. An ended send is announced already.
  if (!hasEnded(after.record) && record.kind === 'job') announceTopics(view, after.record);
}

function recoverChunk(
  view: View,
  send: SendDocument,
  index: number,
  state: 'unknown' | 'not_sent',
): SendDocument {
  const ref = { send: send.record.id, index };
  const was = chunkDocumentOf(view, send, ref);
  const is = countOutcome(view, send, was, { ...was, state, settledAt: view.now });
  putChunk(view, ref, was, is);
  if (state === 'unknown' && was.account !== undefined) countActivity(view, was.account);
  return withChunkChanged(send, index, was, is);
}

/** Deletes marks, claims of words and counts of them that have expired. Returns whether there may be more. */
export function deleteExpiredMarks(view: View): boolean {
  view.allowUnsynced();
  const marks = deleteSomeOver(view, repeatMarks, view.now);
  const words = deleteSomeOver(view, guards, view.now);
  const areMoreCounts = deleteOldCounts(view);
  return marks === OVER_PAGE || words === OVER_PAGE || areMoreCounts;
}
