import { isRateLimited, type RateLimited, type Settlement } from './attempt-types.ts';
import { pausedBy, withBreaker } from './breaker.ts';
import type { ChunkRecord, LedgerMessage } from './chunk-record.ts';
import type { ChunkState } from './outcome-types.ts';
import { isErased } from './read-chunks.ts';
import type { SendRecord } from './send-record.ts';

/** Decides a chunk's next state from an answer. All functions are pure. */

/** How many requests a drafted chunk and its children have made, and still need. */
export interface SplitBudget {
  /** Requests so far, with those of the chunk that is being settled. */
  requests: number;
  /** How many of these chunks are pending or sending: each needs at least one more request. */
  open: number;
}

/**
 * A chunk and its send after a settlement. `settlement` is the one that was applied. For a repeat, it is the one that
 * the caller gave, and `changed` is false.
 */
export interface AppliedSettlement {
  send: SendRecord;
  chunk: ChunkRecord;
  settlement: Settlement;
  changed: boolean;
}

/** The facts for settling one attempt. The attempt's own chunk does not count as open. */
interface SettlementContext {
  /** The token of the caller that settles the attempt. */
  token: string;
  /** The store's clock, in ms. */
  now: number;
  splitBudget: SplitBudget;
  /** Whether the attempt's key rests already. */
  rests?: boolean;
}

/**
 * Applies a settlement, or its `otherwise` if a split could take too many requests. Returns undefined if the settlement
 * must not count: the token is not the attempt's, or the chunk's state is final. If the chunk already has this
 * settlement, returns the chunk as it is, with `changed: false`.
 *
 * An unknown chunk never goes back to pending. A late answer counts only if it gives the messages an outcome: sent,
 * rejected, not sent, or one for each message. A late answer that would split the chunk applies `otherwise`, so nothing
 * is sent again. If recovery made the chunk unknown, a late answer may add the reason, once. A late answer may pause
 * its job, but never changes the breaker. In a stopped send, a chunk is cancelled instead of going back to pending or
 * being split. If the key rests already, another 429 is not counted, and the chunk goes back to pending.
 * @throws Error if children or parts do not hold exactly the chunk's messages: that would lose or repeat a recipient
 */
export function applySettlement(
  send: SendRecord,
  chunk: ChunkRecord,
  asked: Settlement,
  { token, now, splitBudget, rests = false }: SettlementContext,
): AppliedSettlement | undefined {
  if (chunk.token !== token) return undefined;
  if (isRepeat(send, chunk, asked)) return { send, chunk, settlement: asked, changed: false };
  const late = chunk.state === 'unknown';
  const again = rests && !late && isRateLimited(asked.request) ? backToPending(asked.request) : undefined;
  const settlement = again ?? effectiveSettlement(asked, late ? undefined : splitBudget);
  const to = stateAfter(send, settlement);
  if (chunk.state !== 'sending' && !(late && settlement.to !== 'pending')) return undefined;
  if (to === 'split') assertSameMessages(chunk, settlement);

  const { deadline, notBefore: _spent, ...kept } = chunk;
  const next: ChunkRecord = { ...kept, state: to, settledAt: now };
  next.refusals = isRateLimited(settlement.request) ? chunk.refusals + (again ? 0 : 1) : 0;
  if (to === 'pending' && settlement.to === 'pending') next.notBefore = now + settlement.waitMs;
  if (to === 'unknown' && deadline !== undefined) next.deadline = deadline;
  if ('result' in settlement) next.result = settlement.result;
  if (settlement.to === 'sent' && settlement.otherStatus !== undefined) {
    next.otherStatus = settlement.otherStatus;
  }
  if (settlement.to === 'not_sent' && settlement.barredFor !== undefined) {
    next.barredFor = settlement.barredFor;
  }
  const answered = late ? send : withBreaker(send, settlement, to);
  return { send: pausedBy(settlement, answered), chunk: next, settlement, changed: true };
}

/** The state that a settlement leads to in this send. */
function stateAfter(send: SendRecord, settlement: Settlement): ChunkState {
  if (settlement.to === 'resolved_per_message') return 'split';
  const goesOn = settlement.to === 'pending' || settlement.to === 'split';
  return goesOn && send.state === 'stopped' ? 'cancelled' : settlement.to;
}

/** Whether this settlement, or its `otherwise`, was already applied to the chunk. */
function isRepeat(send: SendRecord, chunk: ChunkRecord, settlement: Settlement): boolean {
  const { state } = chunk;
  if (state === 'unknown' && settlement.to === 'unknown') return chunk.result !== undefined;
  if (state === settlement.to || state === stateAfter(send, settlement)) return true;
  const { to, request } = settlement;
  if (to !== 'pending' && isRateLimited(request) && isRepeat(send, chunk, backToPending(request)))
    return true;
  return to === 'split' && isRepeat(send, chunk, settlement.otherwise);
}

function backToPending(request: RateLimited): Settlement {
  return { to: 'pending', request, waitMs: 0 };
}

/** The settlement, or its `otherwise` if the split budget is too small. Without a budget nothing is split. */
function effectiveSettlement(settlement: Settlement, splitBudget: SplitBudget | undefined): Settlement {
  if (settlement.to !== 'split') return settlement;
  const most = splitBudget && splitBudget.requests + splitBudget.open + settlement.children.length;
  return most !== undefined && most <= settlement.mostRequests
    ? settlement
    : effectiveSettlement(settlement.otherwise, splitBudget);
}

function assertSameMessages(chunk: ChunkRecord, settlement: Settlement): void {
  const shares = sharesOf(settlement);
  // If the store has lost the messages, the attempt still knows them.
  const isLost = chunk.messages.every(isErased);
  const isSame = isLost
    ? shares.flat().length === chunk.messages.length
    : sorted(shares.flat()).join() === sorted(chunk.messages).join();
  if (!isSame || shares.some((messages) => messages.length === 0)) {
    throw new Error(
      `the settlement of chunk ${chunk.send}/${chunk.index} does not hold each of its messages once`,
    );
  }
}

/** The messages of a chunk as a settlement divides them. */
function sharesOf(settlement: Settlement): LedgerMessage[][] {
  if (settlement.to === 'resolved_per_message') return settlement.parts.map(({ messages }) => messages);
  if (settlement.to !== 'split') return [];
  const { children, leftOut = [] } = settlement;
  return [...children, ...leftOut.map(({ messages }) => messages)];
}

function sorted(messages: LedgerMessage[]): string[] {
  return messages.map(({ phone, text, row = null }) => JSON.stringify([phone, text, row])).sort();
}
