import { isRateLimited, type RateLimited, type Settlement } from './attempt-types.ts';
import type { Decision, SendDetailsChange } from './decision-types.ts';
import type { ChunkRecord, ChunkState, LedgerMessage, SendRecord, SendState, Undecidable } from './types.ts';

/**
 * The ledger's state machine as pure functions: what an answer makes of a chunk and its send. Engines read both, call
 * these, and write the result in the same atomic step.
 */

/** Whether somebody decided to send what is in this state. */
export const WAS_CONFIRMED: { [state in SendState]: boolean } = {
  draft: false,
  awaiting_approval: false,
  cancelled: false,
  superseded: false,
  declined: false,
  expired: false,
  running: true,
  paused: true,
  finished: true,
  stopped: true,
};

/** Whether somebody has yet to decide what becomes of a send: it expires otherwise. */
export function isUndecidedSend(state: SendState): boolean {
  return state === 'draft' || state === 'awaiting_approval';
}

/** A job starts with this many requests in flight at most, and never has more than `BREAKER_MAX_LIMIT`. */
export const BREAKER_INITIAL_LIMIT = 8;
export const BREAKER_MAX_LIMIT = 16;
/** Two unknown answers in a row pause a job: an outage then costs two chunks of doubt, not all of them. */
const UNKNOWN_ANSWERS_TO_PAUSE = 2;

/** A single send that nobody carries on is given up this many milliseconds after its decision or its last wait. */
export const STALE_AFTER_MS = 10_000;

/** Whether people have read what they may do next: at the end of a send, and while it is paused. */
export function showsOutcome(send: SendRecord): boolean {
  return hasEnded(send) || send.state === 'paused';
}

/** A job that nobody worked on for longer than this, in ms, does not go on by itself. */
export const UNATTENDED_MS = 900_000;

/** Since when nobody worked on a running job (ms by the store's clock); undefined where somebody did lately. */
export function unattendedSince({ servedAt, decidedAt = 0 }: SendRecord, now: number): number | undefined {
  const since = servedAt ?? decidedAt;
  return Math.abs(now - since) > UNATTENDED_MS ? since : undefined;
}

/** The send with these details merged into its own; those that are `undefined` are forgotten. */
export function withDetails<Send extends { details: SendRecord['details'] }>(
  send: Send,
  details: SendDetailsChange,
): Send {
  if (Object.keys(details).length === 0) return send;
  const merged: SendDetailsChange = { ...(send.details as object), ...details };
  for (const name in details) if (details[name] === undefined) delete merged[name];
  return { ...send, details: merged };
}

/** When work on a send could begin, by the store's clock: after its decision, and after the time to undo it. */
export function beginOf({ startsAt, decidedAt = 0 }: SendRecord): number {
  return startsAt ?? decidedAt;
}

/** An expired draft, a declined request, or a send that was undone, has its details for this long, in ms: a `response_url` lives no longer. */
export const UNSENT_DETAILS_KEPT_MS = 1_800_000;

/** The draft, or the request for approval, after its decision. Whoever asked for approval is who sends. */
export function decideDraft(
  draft: SendRecord,
  { to, by, details = {}, startsInMs = 0, ifUndone, approval: word }: Decision,
  at: number,
): SendRecord {
  const { approval } = draft;
  const isAnswered = approval && (to === 'running' || to === 'declined');
  const { reason } = word ?? {};
  return {
    ...withDetails(withoutSpent(draft, to), details),
    state: to,
    decidedAt: at,
    decidedBy: approval?.askedBy ?? by,
    ...(isAnswered && { approval: { ...approval, by, at, ...(reason !== undefined && { reason }) } }),
    ...(to !== 'running' && { endedAt: at }),
    ...(to === 'running' && startsInMs > 0 && { startsAt: at + startsInMs, ...(ifUndone && { ifUndone }) }),
  };
}

/** Without what nobody needs after the decision. A declined request keeps what **Edit** needs, for a while. */
function withoutSpent(draft: SendRecord, to: Decision['to']): SendRecord {
  if (to === 'declined') return draft;
  const { keeps: _over, ...send } = to === 'running' ? draft : forgetDetails(draft);
  return send;
}

/** Whether nobody sends it any more, and it may still hold what a new draft would begin with. */
export function mayHoldDetails({ state, keeps }: Pick<SendRecord, 'state' | 'keeps'>): boolean {
  return (state === 'expired' || state === 'declined' || state === 'cancelled') && keeps !== undefined;
}

/** A send with what it keeps in place of its details. */
export function forgetDetails({ keeps, ...send }: SendRecord): SendRecord {
  return { ...send, details: keeps ?? send.details };
}

/** True once a send was decided and has nothing more to do, unless a late answer arrives. */
export function hasEnded(send: SendRecord): boolean {
  return send.state === 'finished' || send.state === 'stopped';
}

/**
 * Why a person can decide nothing about these chunks: one of them is not unknown, or was sent again or said to be sent
 * before. Undefined where they can be decided.
 */
export function whyUndecidable(chunks: (ChunkRecord | undefined)[]): Undecidable | undefined {
  if (chunks.some((chunk) => chunk?.state !== 'unknown' || chunk.forgotten)) return 'not_unknown';
  if (chunks.some((chunk) => chunk?.resentAs !== undefined)) return 'resent_already';
  return chunks.some((chunk) => chunk?.saidSentBy !== undefined) ? 'said_sent' : undefined;
}

/** Whether a person may still decide what becomes of an unknown chunk. */
export function isUndecided({
  state,
  resentAs,
  saidSentBy,
  forgotten,
}: Pick<ChunkRecord, 'state' | 'resentAs' | 'saidSentBy' | 'forgotten'>): boolean {
  return state === 'unknown' && resentAs === undefined && saidSentBy === undefined && !forgotten;
}

/** What a drafted chunk and the chunks it was split into took so far, without the chunk that is being settled. */
export interface SplitBudget {
  /** Requests made for them, those of the settled chunk too. */
  requests: number;
  /** How many of them wait or are in flight: each takes a request at least. */
  open: number;
}

/**
 * What a settlement makes of a chunk and its send. `settlement` is the one that counted; unchanged where it is a
 * repeat.
 */
export interface AppliedSettlement {
  send: SendRecord;
  chunk: ChunkRecord;
  settlement: Settlement;
  changed: boolean;
}

/** What the ledger knows of an attempt when it is settled. */
export interface SettlementContext {
  /** Of whoever settles it. */
  token: string;
  /** The store's clock, in ms. */
  now: number;
  splitBudget: SplitBudget;
  /** Whether the attempt's key rests before this settlement. */
  rests?: boolean;
}

/**
 * Applies a settlement, or what it asks for `otherwise` where a split could take more requests than it may. `undefined`
 * where it must not count: the token is not the attempt's, or the chunk is in a final state. The same
 * settlement twice answers like once.
 *
 * Over `unknown` only a truthful answer counts (sent, rejected, not sent, resolved per message): never a way back to pending. Where
 * recovery made the chunk unknown, a late answer may also say why it is, once. A late answer may pause its job, but
 * never moves the breaker. In a stopped send, what would go back to pending or be split is cancelled. Where the key
 * rests already, a 429 says nothing about its chunk: the chunk goes back to pending, and the 429 is not counted.
 * @throws Error when children or parts do not hold exactly the chunk's messages: nobody may vanish
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
  const settlement = again ?? effectiveSettlement(asked, splitBudget);
  const to = stateAfter(send, settlement);
  if (chunk.state !== 'sending' && !(late && maySettleLate(settlement))) return undefined;
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

/** Whether the chunk is as the settlement, or the one it asks for otherwise, would have made it. */
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

function effectiveSettlement(settlement: Settlement, splitBudget: SplitBudget): Settlement {
  if (settlement.to !== 'split') return settlement;
  const most = splitBudget.requests + splitBudget.open + settlement.children.length;
  return most <= settlement.mostRequests
    ? settlement
    : effectiveSettlement(settlement.otherwise, splitBudget);
}

/** Whether it says what became of the messages, or why nobody knows: that is true however late it comes. */
function maySettleLate({ to }: Settlement): boolean {
  return to !== 'pending' && to !== 'split';
}

function assertSameMessages(chunk: ChunkRecord, settlement: Settlement): void {
  const shares =
    settlement.to === 'split'
      ? [...settlement.children, ...(settlement.leftOut ?? []).map(({ messages }) => messages)]
      : settlement.to === 'resolved_per_message'
        ? settlement.parts.map(({ messages }) => messages)
        : [];
  const isSame = sorted(shares.flat()).join() === sorted(chunk.messages).join();
  if (!isSame || shares.some((messages) => messages.length === 0)) {
    throw new Error(
      `what chunk ${chunk.send}/${chunk.index} is to become does not hold its messages, each once`,
    );
  }
}

function sorted(messages: LedgerMessage[]): string[] {
  return messages.map(({ phone, text, row = null }) => JSON.stringify([phone, text, row])).sort();
}

/** Whether an answer names none of its messages: so would the next ones, if the service writes numbers in its own way. */
function listsNone(settlement: Settlement): boolean {
  return (
    settlement.to === 'resolved_per_message' && settlement.parts.every(({ state }) => state === 'unknown')
  );
}

/** The send's breaker after an answer that came in time. */
function withBreaker(send: SendRecord, settlement: Settlement, to: ChunkState): SendRecord {
  if (to === 'unknown' || listsNone(settlement))
    return { ...send, inFlightLimit: 1, unknownRun: send.unknownRun + 1 };
  if (settlement.request !== 'answered' || settlement.to === 'pending') return send;
  return { ...send, inFlightLimit: Math.min(BREAKER_MAX_LIMIT, send.inFlightLimit + 1), unknownRun: 0 };
}

/** The send, paused where it is a running job and the answer or the breaker asks for it. */
function pausedBy(settlement: Settlement, send: SendRecord): SendRecord {
  if (send.kind !== 'job' || send.state !== 'running') return send;
  const asked = 'pause' in settlement ? settlement.pause : undefined;
  const pause = asked ?? (send.unknownRun >= UNKNOWN_ANSWERS_TO_PAUSE ? 'unknown_answers' : undefined);
  return pause === undefined ? send : { ...send, state: 'paused', pauseReason: pause };
}
