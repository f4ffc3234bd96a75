import { addressOf } from '../../store/collection.ts';
import type { View } from '../../store/view.ts';
import { accounts } from '../accounts/account-documents.ts';
import { countActivity, putChunk, recordReceipt, takeChargeBack } from '../accounts/accounts.ts';
import { countOutcome } from '../accounts/outcome-counts.ts';
import { recordSpending } from '../accounts/spending.ts';
import { isRateLimited, type Settlement, type SettleResult } from '../model/attempt-types.ts';
import { DEARER } from '../model/breaker.ts';
import { type ChunkDocument, chunkIdOf, chunks } from '../model/chunk-documents.ts';
import { isOpenState, withChunkChanged } from '../model/chunk-progress.ts';
import type { ChunkRecord, ChunkRef } from '../model/chunk-record.ts';
import { applySettlement } from '../model/chunk-states.ts';
import { defined } from '../model/defined.ts';
import type { LedgerLimits } from '../model/ledger-limits.ts';
import { type FoundChunk, findChunk } from '../model/read-chunks.ts';
import type { SendDocument } from '../model/send-documents.ts';
import { keyPermits } from '../permits/permit-documents.ts';
import { withoutExpiredPermits, withRequestEnded } from '../permits/rate-limit.ts';
import { overrun, prefetchBudget } from '../rules/budget-rules.ts';
import { withoutJudgement, withPriced } from '../rules/budget-usage.ts';
import { putSend } from '../rules/put-send.ts';
import { countHeldBack } from '../rules/repeats-held-back.ts';
import { finishIfDone } from './finish-send.ts';
import { answersToParts, partsOfAttempt } from './parts-of-attempt.ts';
import {
  addChild,
  childrenOfSplit,
  type SettledChunk,
  splitBudgetOf,
  withSplitBudgetAfter,
} from './split-children.ts';
import { extendGiveUp } from './take.ts';

/**
 * Ends an attempt: chunk, breaker, permit, credits, the send's end and its announcements in one step. A 429 makes its
 * key rest in the same step: meanwhile `take` and `permit` give nobody a permit of the key. If the key rests already,
 * other requests reached the limit. Then the chunk goes back to pending, whatever the settlement asks for.
 */
export function settle(
  view: View,
  { ref, token, settlement: asked }: { ref: ChunkRef; token: string; settlement: Settlement },
  limits: LedgerLimits,
): SettleResult {
  // Read what the answer is about.
  const found = findChunk(view, ref);
  if (!found) return { settled: false };
  const { send, document: was, record } = found;
  const { account, rateLimitKey } = was;
  if (was.token !== token || account === undefined) return { settled: false };
  // Retention, or an operator who erased a number, has deleted the messages: this late answer matches nothing.
  if (send.retention || send.erased?.[ref.index]) return { settled: false };
  const parts = partsOfAttempt(view, found);
  if (parts.length > 0) return settleParts(view, parts, { whole: record, settlement: asked }, limits);
  if (rateLimitKey !== undefined) view.prefetch(addressOf(keyPermits, rateLimitKey));
  view.prefetch(addressOf(accounts, account));
  prefetchBudget(view, send.budget?.periods);
  const permits = withoutExpiredPermits(
    rateLimitKey === undefined ? undefined : view.get(keyPermits, rateLimitKey),
    view.now,
    limits,
  );

  // Decide: a pure function says what the answer makes of the chunk.
  const splitBudget = splitBudgetOf(send, was);
  const applied = applySettlement(send.record, record, asked, {
    token,
    now: view.now,
    splitBudget: {
      requests: splitBudget.requests,
      open: splitBudget.open - (isOpenState(was.state) ? 1 : 0),
    },
    rests: permits.restsUntil !== undefined,
  });
  if (!applied) return { settled: false };
  if (!applied.changed) {
    // Write the chunk again, so that the replicas confirm it: a read alone may show data that no replica has.
    view.put(chunks, chunkIdOf(ref), was);
    return { settled: true, send: send.record, chunk: record };
  }

  // For the type alone: every chunk that was taken has a key.
  if (rateLimitKey === undefined) return { settled: false };
  const { settlement } = applied;

  // Write the chunk and its children, the permit, the books, and the send.
  const neverStarted = (was.neverStarted ?? 0) + (settlement.request === 'never_started' ? 1 : 0);
  const is = countOutcome(view, send, was, {
    ...documentFrom(was, applied.chunk),
    ...(neverStarted > 0 ? { neverStarted } : {}),
  });
  putChunk(view, ref, was, is);
  const children = is.state === 'split' ? childrenOfSplit(applied.chunk, settlement) : [];
  const settled = { was, is, settlement };
  let after = withSettledChunk({ ...send, record: applied.send }, ref.index, settled);
  after = { ...after, work: withSplitBudgetAfter(after.work, splitBudget, settled, children) };
  for (const child of children) after = addChild(view, after, { ref, root: is.root }, child);

  const rested = withRequestEnded(permits, token, settlement.request, { now: view.now, limits });
  view.put(keyPermits, rateLimitKey, rested);
  countActivity(view, account);
  bookCharge(view, account, { send, messages: record.messages.length }, settled);
  const repeated = (after.tally.barred?.repeated ?? 0) - (send.tally.barred?.repeated ?? 0);
  if (repeated > 0) countHeldBack(view, send.record, repeated);
  after = finishIfDone(view, after);
  putSend(view, ref.send, after);
  // Ask only now: the send's periods must count this answer first.
  const paused = pausedIfDearer(view, after);
  if (paused !== after) putSend(view, ref.send, paused);
  if (isRateLimited(settlement.request) && rested.restsUntil !== undefined) {
    extendGiveUp(view, send.record.instance, { until: rested.restsUntil }, ref.send);
  }
  return { settled: true, send: paused.record, chunk: applied.chunk };
}

/** A late answer to an attempt whose chunk was split meanwhile: each part gets its share of it. */
function settleParts(
  view: View,
  parts: FoundChunk[],
  { whole, settlement }: { whole: ChunkRecord; settlement: Settlement },
  limits: LedgerLimits,
): SettleResult {
  const answers = answersToParts(
    settlement,
    parts.map(({ record }) => record.messages),
  );
  let settled: SettleResult = { settled: false };
  for (const [at, { record }] of parts.entries()) {
    const { send, index, token = '' } = record;
    const answer = { ref: { send, index }, token, settlement: answers[at] ?? settlement };
    const result = settle(view, answer, limits);
    if (result.settled) settled = { ...result, chunk: { ...whole, settledAt: view.now } };
  }
  return settled;
}

/** The send with a settled chunk in its progress, its tally and its budget. */
function withSettledChunk(send: SendDocument, index: number, settled: SettledChunk): SendDocument {
  const { was, is, settlement } = settled;
  const creditsUsed = 'receipt' in settlement ? settlement.receipt.creditsUsed : 0;
  const priced = 'receipt' in settlement ? withPriced(send, was.size) : send;
  const changed = withChunkChanged(priced, index, was, is);
  const tally = { ...changed.tally, creditsUsed: changed.tally.creditsUsed + creditsUsed };
  const after = { ...changed, tally };
  return is.judged === undefined ? withoutJudgement(after, was) : after;
}

/** Books the chunk's charge by the answer, in place of any charge that evidence found before. */
function bookCharge(
  view: View,
  account: string,
  { send, messages }: { send: SendDocument; messages: number },
  { was, is, settlement }: SettledChunk,
): void {
  if ('receipt' in settlement) {
    const { receipt } = settlement;
    const isCounted = recordReceipt(view, account, receipt, was);
    const spent = { credits: receipt.creditsUsed, messages: countSent(settlement, messages) };
    recordSpending(view, send, spent, isCounted ? account : undefined);
  } else if (is.state !== 'unknown') takeChargeBack(view, account, was);
}

/** The send; a running job is paused if its rest costs more than a budget, or its approval, allows. */
function pausedIfDearer(view: View, send: SendDocument): SendDocument {
  const { record } = send;
  const over = record.kind === 'job' && record.state === 'running' ? overrun(view, send) : undefined;
  if (!over) return send;
  const pauseReason = 'id' in over ? DEARER[over.person === undefined ? 'month' : 'day'] : DEARER.approval;
  return { ...send, record: { ...record, state: 'paused', pauseReason } };
}

/** A chunk's document after a settlement: the new record, and what only the document holds. */
function documentFrom(was: ChunkDocument, record: ChunkRecord): ChunkDocument {
  const { send: _send, index: _index, messages: _messages, refusals, ...rest } = record;
  const { size, root, rateLimitKey, chargeFound, judged, judgedByWord, listed } = was;
  const isUnknown = record.state === 'unknown';
  // A settled chunk no longer needs its key. The token stays, in case the same answer comes twice.
  const needsKey = isUnknown || isOpenState(record.state);
  return {
    ...rest,
    size,
    root,
    ...(refusals > 0 && { refusals }),
    ...(needsKey && defined({ rateLimitKey })),
    ...(isUnknown && defined({ chargeFound, judged })),
    ...(isUnknown && judged !== undefined && defined({ judgedByWord })),
    ...defined({ listed }),
  };
}

/** How many of a chunk's messages the answer says were sent. */
function countSent(settlement: Settlement, messages: number): number {
  if (settlement.to === 'sent') return messages;
  if (settlement.to !== 'resolved_per_message') return 0;
  const sent = settlement.parts.filter(({ state }) => state === 'sent');
  return sent.reduce((sum, part) => sum + part.messages.length, 0);
}
