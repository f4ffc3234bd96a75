import type {
  ChunkRecord,
  ChunkState,
  Decision,
  LedgerMessage,
  SendDetailsChange,
  SendRecord,
  Settlement,
  TurnedAway,
  Undecidable,
} from './ledger.ts';
import { isTurnedAway } from './permits.ts';

/**
 * The ledger's state machine as pure functions: what an answer makes of a chunk and its send. Engines read both, call
 * these, and write the result in the same atomic step.
 */

/** A job starts with this many requests in flight at most, and never has more than `BREAKER_MOST`. */
export const BREAKER_FIRST = 8;
export const BREAKER_MOST = 16;
/** Two unknown answers in a row pause a job: an outage then costs two chunks of doubt, not all of them. */
const UNKNOWN_ANSWERS_TO_PAUSE = 2;

/** A single send that nobody carries on is given up this many milliseconds after its decision or its last wait. */
export const STALE_AFTER_MS = 10_000;

/** Whether people have read what they may do next: at the end of a send, and while it is paused. */
export function hasReported(send: SendRecord): boolean {
  return hasEnded(send) || send.state === 'paused';
}

/** A job that nobody worked on for longer than this, in ms, does not go on by itself. */
export const AWAY_MS = 900_000;

/** Since when nobody worked on a running job (ms by the store's clock); undefined where somebody did lately. */
export function awaySince({ servedAt, decidedAt = 0 }: SendRecord, now: number): number | undefined {
  const since = servedAt ?? decidedAt;
  return Math.abs(now - since) > AWAY_MS ? since : undefined;
}

/** The send with these details merged into its own. */
export function withDetails<Send extends { details: SendRecord['details'] }>(
  send: Send,
  details: SendDetailsChange,
): Send {
  if (Object.keys(details).length === 0) return send;
  return { ...send, details: { ...(send.details as object), ...details } };
}

/** An expired draft has its details for this long, in ms: a `response_url` lives no longer. */
export const EXPIRED_FOR_MS = 1_800_000;

/** The draft after its decision. */
export function decideDraft(draft: SendRecord, { to, by, details = {} }: Decision, at: number): SendRecord {
  const { keeps: _over, ...send } = to === 'running' ? draft : forget(draft);
  return {
    ...withDetails(send, details),
    state: to,
    decidedAt: at,
    decidedBy: by,
    ...(to === 'running' ? {} : { endedAt: at }),
  };
}

/** A send with what it keeps in place of its details. */
export function forget({ keeps, ...send }: SendRecord): SendRecord {
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
  if (chunks.some((chunk) => chunk?.state !== 'unknown')) return 'not_unknown';
  if (chunks.some((chunk) => chunk?.resentAs !== undefined)) return 'resent_already';
  return chunks.some((chunk) => chunk?.saidSentBy !== undefined) ? 'said_sent' : undefined;
}

/** A drafted chunk and all that descends from it, but for the chunk that is being settled. */
export interface Family {
  /** Requests that left for it so far, those of the settled chunk too. */
  requests: number;
  /** Its chunks that wait or are in flight: each takes a request at least. */
  open: number;
}

/**
 * What a settlement makes of a chunk and its send. `settlement` is the one that counted; unchanged where it is a
 * repeat.
 */
export interface Applied {
  send: SendRecord;
  chunk: ChunkRecord;
  settlement: Settlement;
  changed: boolean;
}

/** What the ledger knows of an attempt when it is settled. */
export interface Circumstances {
  /** Of whoever settles it. */
  token: string;
  /** The store's clock, in ms. */
  now: number;
  family: Family;
  /** Whether the attempt's key rests before this settlement. */
  rests?: boolean;
}

/**
 * Applies a settlement, or what it asks for `otherwise` where a split could take more requests than it may. `undefined`
 * where it must not count: the token is not the attempt's, or the chunk is in a final state. The same
 * settlement twice answers like once.
 *
 * Over `unknown` only a truthful answer counts (sent, rejected, not sent, parted): never a way back to pending. Where
 * recovery made the chunk unknown, a late answer may also say why it is, once. A late answer may pause its job, but
 * never moves the breaker. In a stopped send, what would go back to pending or be split is cancelled. Where the key
 * rests already, a 429 says nothing about its chunk: the chunk goes back to pending, and the 429 is not counted.
 * @throws Error when children or parts do not hold exactly the chunk's messages: nobody may vanish
 */
export function applySettlement(
  send: SendRecord,
  chunk: ChunkRecord,
  asked: Settlement,
  { token, now, family, rests = false }: Circumstances,
): Applied | undefined {
  if (chunk.token !== token) return undefined;
  if (isRepeat(send, chunk, asked)) return { send, chunk, settlement: asked, changed: false };
  const late = chunk.state === 'unknown';
  const again = rests && !late && isTurnedAway(asked.request) ? backToPending(asked.request) : undefined;
  const settlement = again ?? whatCounts(asked, family);
  const to = stateAfter(send, settlement);
  if (chunk.state !== 'sending' && !(late && countsLate(settlement))) return undefined;
  if (to === 'split') mustHoldAll(chunk, settlement);

  const { deadline, notBefore: _spent, ...kept } = chunk;
  const next: ChunkRecord = { ...kept, state: to, settledAt: now };
  next.refusals = isTurnedAway(settlement.request) ? chunk.refusals + (again ? 0 : 1) : 0;
  if (to === 'pending' && settlement.to === 'pending') next.notBefore = now + settlement.waitMs;
  if (to === 'unknown' && deadline !== undefined) next.deadline = deadline;
  if ('result' in settlement) next.result = settlement.result;
  if (settlement.to === 'sent' && settlement.otherStatus !== undefined) {
    next.otherStatus = settlement.otherStatus;
  }
  const answered = late ? send : withBreaker(send, settlement, to);
  return { send: pausedBy(settlement, answered), chunk: next, settlement, changed: true };
}

/** The state that a settlement leads to in this send. */
function stateAfter(send: SendRecord, settlement: Settlement): ChunkState {
  if (settlement.to === 'parted') return 'split';
  const goesOn = settlement.to === 'pending' || settlement.to === 'split';
  return goesOn && send.state === 'stopped' ? 'cancelled' : settlement.to;
}

/** Whether the chunk stands as the settlement, or one that it asks for otherwise, would have left it. */
function isRepeat(send: SendRecord, chunk: ChunkRecord, settlement: Settlement): boolean {
  const { state } = chunk;
  if (state === 'unknown' && settlement.to === 'unknown') return chunk.result !== undefined;
  if (state === settlement.to || state === stateAfter(send, settlement)) return true;
  const { to, request } = settlement;
  if (to !== 'pending' && isTurnedAway(request) && isRepeat(send, chunk, backToPending(request))) return true;
  return to === 'split' && isRepeat(send, chunk, settlement.otherwise);
}

function backToPending(request: TurnedAway): Settlement {
  return { to: 'pending', request, waitMs: 0 };
}

function whatCounts(settlement: Settlement, family: Family): Settlement {
  if (settlement.to !== 'split') return settlement;
  const most = family.requests + family.open + settlement.children.length;
  return most <= settlement.mostRequests ? settlement : whatCounts(settlement.otherwise, family);
}

/** Whether it says what became of the messages, or why nobody knows: that is true however late it comes. */
function countsLate({ to }: Settlement): boolean {
  return to !== 'pending' && to !== 'split';
}

function mustHoldAll(chunk: ChunkRecord, settlement: Settlement): void {
  const shares =
    settlement.to === 'split'
      ? settlement.children
      : settlement.to === 'parted'
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

/** The send's breaker after an answer that came in time. */
function withBreaker(send: SendRecord, settlement: Settlement, to: ChunkState): SendRecord {
  if (to === 'unknown') return { ...send, inFlightLimit: 1, unknownRun: send.unknownRun + 1 };
  if (settlement.request !== 'answered' || settlement.to === 'pending') return send;
  return { ...send, inFlightLimit: Math.min(BREAKER_MOST, send.inFlightLimit + 1), unknownRun: 0 };
}

/** The send, paused where it is a running job and the answer or the breaker asks for it. */
function pausedBy(settlement: Settlement, send: SendRecord): SendRecord {
  if (send.kind !== 'job' || send.state !== 'running') return send;
  const asked = 'pause' in settlement ? settlement.pause : undefined;
  const pause = asked ?? (send.unknownRun >= UNKNOWN_ANSWERS_TO_PAUSE ? 'unknown_answers' : undefined);
  return pause === undefined ? send : { ...send, state: 'paused', pauseReason: pause };
}
