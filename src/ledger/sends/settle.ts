import type { View } from '../../store/view.ts';
import { accounts } from '../accounts/account-documents.ts';
import { countActivity } from '../accounts/accounts.ts';
import { type AppliedSettlement, applySettlement } from '../model/apply-settlement.ts';
import { isRateLimited, type Settlement, type SettleResult } from '../model/attempt-types.ts';
import { DEARER } from '../model/breaker.ts';
import { chunkIdOf, chunks } from '../model/chunk-documents.ts';
import { isOpenState, splitBudgetOf, withSplitBudget } from '../model/chunk-progress.ts';
import type { ChunkRef } from '../model/chunk-record.ts';
import type { LedgerLimits } from '../model/ledger-limits.ts';
import { type FoundChunk, findChunk } from '../model/read-chunks.ts';
import type { SendDocument } from '../model/send-documents.ts';
import { keyPermits, permitsOfKey } from '../permits/permit-documents.ts';
import { withRequestEnded } from '../permits/rate-limit.ts';
import { overrun } from '../rules/budget-rules.ts';
import { putSend } from '../rules/put-send.ts';
import { countHeldBack } from '../rules/repeats-held-back.ts';
import { budgets } from '../rules/rule-documents.ts';
import { finishIfDone } from './finish-send.ts';
import { claimForgotten, type MadeAttempt, remembered } from './forgotten-attempts.ts';
import { noteSentBefore } from './sent-before.ts';
import { bookCharge, type SettledChunk, withSettledChunk, writeSettledChunk } from './settled-chunk.ts';
import { addChild, childrenOfSplit } from './split-children.ts';
import { extendGiveUp } from './take.ts';

/** The end of an attempt. `made`: what this process knows of it, since it made the attempt. */
interface EndedAttempt {
  ref: ChunkRef;
  token: string;
  settlement: Settlement;
  made?: MadeAttempt | undefined;
}

/**
 * Ends an attempt: chunk, breaker, permit, credits, the send's end and its announcements in one step. A 429 makes its
 * key rest in the same step. Meanwhile `take` and `permit` give nobody a permit of the key. If the key rests already,
 * other requests reached the limit. Then the chunk goes back to pending, whatever the settlement asks for.
 */
export function settle(view: View, ended: EndedAttempt, limits: LedgerLimits): SettleResult {
  const { ref, token, settlement: asked, made } = ended;
  const stored = findChunk(view, ref);
  const found = stored && made ? remembered(view, stored, ended, made) : stored;
  if (!found) return { settled: false };
  const { send, document: was, record } = found;
  const { account, rateLimitKey } = was;
  if (was.token !== token || account === undefined) {
    if (made) noteSentBefore(view, found, asked, made);
    return { settled: false };
  }
  // Retention, or an operator who erased a number, has deleted the messages: this late answer matches nothing.
  if (send.retention || send.erased?.[ref.index]) return { settled: false };
  view.prefetch(accounts, account);
  view.prefetch(budgets, ...(send.budget?.periods ?? []));
  const permits = rateLimitKey === undefined ? undefined : permitsOfKey(view, rateLimitKey, limits);
  const { requests, open } = splitBudgetOf(send.work, was);
  // Somebody may have set the clock back since the take. If the chunk is unknown now, its deadline must come.
  const latest = view.now + limits.leaseMs;
  const attempt = (record.deadline ?? 0) > latest ? { ...record, deadline: latest } : record;
  const applied = applySettlement(send.record, attempt, asked, {
    token,
    now: view.now,
    splitBudget: { requests, open: open - (isOpenState(was.state) ? 1 : 0) },
    rests: permits?.restsUntil !== undefined,
  });
  if (!applied) return { settled: false };
  if (!applied.changed) {
    // Write the chunk again, so that the replicas confirm it: a read alone may show data that no replica has.
    view.put(chunks, chunkIdOf(ref), was);
    return { settled: true, send: send.record, chunk: record };
  }

  // For the types alone: every chunk that was taken has a key.
  if (rateLimitKey === undefined || !permits) return { settled: false };
  const wasForgotten = found !== stored;
  if (made && (wasForgotten || send.record.mayLackRequests)) claimForgotten(view, found, made);
  const settled = writeSettledChunk(view, found, applied);
  const changed = withChildren(view, found, applied, settled);
  const permitsAfter = withRequestEnded(permits, token, settled.settlement.request, {
    now: view.now,
    limits,
  });
  view.put(keyPermits, rateLimitKey, permitsAfter);
  countActivity(view, account);
  bookCharge(view, account, { send, messages: record.messages.length }, settled);
  const after = writeSend(view, changed, send);
  if (isRateLimited(settled.settlement.request) && permitsAfter.restsUntil !== undefined) {
    extendGiveUp(view, send.record.instance, { until: permitsAfter.restsUntil }, ref.send);
  }
  return { settled: true, send: after.record, chunk: applied.chunk };
}

/** The send with its settled chunk. Writes the chunk's children, if it is split. */
function withChildren(
  view: View,
  { send: before, record }: FoundChunk,
  applied: AppliedSettlement,
  settled: SettledChunk,
): SendDocument {
  const { was, is, settlement } = settled;
  const children = is.state === 'split' ? childrenOfSplit(applied.chunk, settlement) : [];
  const goesOn = children.some(({ state }) => isOpenState(state));
  const work = goesOn ? withSplitBudget(before.work, was) : before.work;
  let send = withSettledChunk({ ...before, work, record: applied.send }, record.index, settled);
  for (const child of children) send = addChild(view, send, { ref: record, root: is.root }, child);
  return send;
}

/** Writes the send, finished or paused if need be. Returns what it wrote. */
function writeSend(view: View, send: SendDocument, before: SendDocument): SendDocument {
  const repeated = (send.tally.barred?.repeated ?? 0) - (before.tally.barred?.repeated ?? 0);
  if (repeated > 0) countHeldBack(view, send.record, repeated);
  const after = finishIfDone(view, send);
  putSend(view, after.record.id, after);
  // Ask only now: the send's periods must count this answer first.
  const paused = pausedIfDearer(view, after);
  if (paused !== after) putSend(view, after.record.id, paused);
  return paused;
}

/** The send; a running job is paused if its rest costs more than a budget, or its approval, allows. */
function pausedIfDearer(view: View, send: SendDocument): SendDocument {
  const { record } = send;
  const over = record.kind === 'job' && record.state === 'running' ? overrun(view, send) : undefined;
  if (!over) return send;
  const pauseReason = 'id' in over ? DEARER[over.person === undefined ? 'month' : 'day'] : DEARER.approval;
  return { ...send, record: { ...record, state: 'paused', pauseReason } };
}
