import { startingWith, upTo } from '../../store/keys.ts';
import type { View } from '../../store/view.ts';
import { countActivity, putChunk } from '../accounts/accounts.ts';
import { countOutcome } from '../accounts/outcome-counts.ts';
import { withChunkChanged } from '../model/chunk-progress.ts';
import { repeatMarks } from '../model/once.ts';
import { deleteSomeOver, listOver, OVER_PAGE } from '../model/over.ts';
import { chunkDocumentOf, indexesFrom } from '../model/read-chunks.ts';
import { detailsForgottenAt, type SendDocument, sends } from '../model/send-documents.ts';
import type { SendRecord } from '../model/send-record.ts';
import { forgetDetails, hasEnded, isUndecidedSend, mayHoldDetails } from '../model/send-states.ts';
import { announceTopics } from '../outbox/announce.ts';
import { putSend } from '../rules/put-send.ts';
import { deleteOldCounts } from '../rules/repeats-held-back.ts';
import { guards } from '../rules/rule-documents.ts';
import { expire } from './end-draft.ts';
import { finishIfDone } from './finish-send.ts';
import { stop } from './jobs.ts';

const PAGE = 100;

/**
 * Sends that need a look now, the most urgent first, at most a page. Passes over those that wait, as `judge` says, and
 * returns them as well.
 */
export function sendsToRecover(view: View, judge: JudgeOverdue): { ids: string[]; waiting: SendRecord[] } {
  for (let limit = PAGE; ; limit *= 4) {
    const listed = view.list(sends, 'look', upTo([], view.now), { limit });
    const { waiting = [], due = [] } = Object.groupBy(listed, ({ value }) =>
      whyOverdue(value, view.now, judge) === 'wait' ? 'waiting' : 'due',
    );
    if (due.length > 0 || listed.length < limit)
      return { ids: due.map(({ id }) => id), waiting: waiting.map(({ value }) => value.record) };
  }
}

export function needsRecovery(view: View): boolean {
  return view
    .together<unknown[][]>(
      () => view.list(sends, 'look', upTo([], view.now), { limit: 1 }),
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
 * What to do with a draft, request or single text that has waited for too long. If an old copy of the data may hold it:
 * leave it for now, or end it as one that may have been sent. Otherwise undefined.
 */
export type JudgeOverdue = (send: SendRecord) => 'wait' | 'may_be_sent' | undefined;

/**
 * Ends what nobody works on any more. Attempts past their deadline become unknown, without a result: no answer came. A
 * draft past its time expires. A single send that waited too long is not sent. Expired and undone sends forget their
 * details later. `isDead`: the process that made the attempts is dead, so their deadlines no longer matter.
 */
export function recoverSend(
  view: View,
  id: string,
  { isDead, judge }: { isDead: boolean; judge: JudgeOverdue },
): void {
  const send = view.get(sends, id);
  if (!send) return;
  const { record } = send;
  const why = whyOverdue(send, view.now, judge);
  if (why === 'wait') return;
  if (isUndecidedSend(record.state)) {
    if (why) forgetInTime(view, expire(view, send, why === 'over' ? undefined : why));
  } else if (mayHoldDetails(record)) forgetInTime(view, send);
  else if (why === 'may_be_sent') stop(view, id);
  else endDecided(view, send, { isDead, isOverdue: why === 'over' });
}

/** Whether a draft waits too long for its decision, or a single text for its request, and what to do with it. */
function whyOverdue({ record, work }: SendDocument, now: number, judge: JudgeOverdue) {
  const isDraft = isUndecidedSend(record.state);
  const since = isDraft ? record.expiresAt : work.staleAt;
  if (since === undefined || since > now) return undefined;
  const waits = isDraft || (record.state === 'running' && waitingIndexes(work).length > 0);
  return waits ? (judge(record) ?? 'over') : undefined;
}

function forgetInTime(view: View, send: SendDocument): void {
  const { record } = send;
  if (!mayHoldDetails(record) || detailsForgottenAt(record) > view.now) return;
  putSend(view, record.id, { ...send, record: forgetDetails(record) });
}

function waitingIndexes({ back = {}, next, drafted }: SendDocument['work']): number[] {
  return [...Object.keys(back).map(Number), ...indexesFrom(next, drafted)];
}

/** Ends the lost attempts of a send, and what waits, if it is overdue. */
function endDecided(
  view: View,
  send: SendDocument,
  { isDead, isOverdue }: { isDead: boolean; isOverdue: boolean },
): void {
  const { record, work } = send;
  const lost = Object.entries(work.inFlight ?? {}).flatMap(([index, deadline]) =>
    isDead || deadline <= view.now ? [Number(index)] : [],
  );
  const waiting = isOverdue ? waitingIndexes(work) : [];
  if (lost.length === 0 && waiting.length === 0) return;
  let after = send;
  for (const index of lost) after = recoverChunk(view, after, index, 'unknown');
  for (const index of waiting) after = recoverChunk(view, after, index, 'not_sent');
  after = finishIfDone(view, after);
  putSend(view, record.id, after);
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
