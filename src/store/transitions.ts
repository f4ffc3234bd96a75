import type { ChunkRecord, ChunkState, SendRecord, Settlement } from './ledger.ts';

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
/** No wait for a permit or a 429 holds a single send longer than this: nobody is texted hours later. */
export const LONGEST_WAIT_MS = 600_000;

/** True once a send was decided and has nothing more to do, unless a late answer arrives. */
export function hasEnded(send: SendRecord): boolean {
  return send.state === 'finished' || send.state === 'stopped';
}

/** The permit's least margin in milliseconds beyond the window: clocks and timers are not exact. */
export function permitMargin(windowMs: number): number {
  return Math.max(20, windowMs / 1000);
}

/** How many permits of a key this audience may have live: a tenth is kept for people, unless there is only one. */
export function permitsFor(audience: 'interactive' | 'background', permits: number): number {
  return audience === 'interactive' || permits === 1 ? permits : permits - Math.ceil(permits / 10);
}

/**
 * Applies a settlement. Returns the chunk and send after it, or `undefined` where it must not count: the token is not
 * the attempt's, or a final state stands there. The same settlement twice answers like once.
 *
 * Over `unknown` only a truthful answer counts (sent, rejected, not sent): never a way back to pending. In a stopped
 * send, what would go back to pending or be split is cancelled.
 */
export function applySettlement(
  send: SendRecord,
  chunk: ChunkRecord,
  token: string,
  settlement: Settlement,
  now: number,
): { send: SendRecord; chunk: ChunkRecord; changed: boolean } | undefined {
  if (chunk.token !== token) return undefined;
  const late = chunk.state === 'unknown';
  const goesOn = settlement.to === 'pending' || settlement.to === 'split';
  const to: ChunkState = goesOn && send.state === 'stopped' ? 'cancelled' : settlement.to;
  if (chunk.state === to || chunk.state === settlement.to) return { send, chunk, changed: false };
  if (chunk.state !== 'sending' && !(late && (to === 'sent' || to === 'rejected' || to === 'not_sent'))) {
    return undefined;
  }

  const { deadline, notBefore: _spent, ...kept } = chunk;
  const next: ChunkRecord = { ...kept, state: to, settledAt: now };
  next.refusals = settlement.to === 'pending' && settlement.refused ? chunk.refusals + 1 : 0;
  if (to === 'pending' && settlement.to === 'pending') next.notBefore = now + settlement.waitMs;
  if (to === 'unknown' && deadline !== undefined) next.deadline = deadline;
  if ('result' in settlement) next.result = settlement.result;
  return { send: late ? send : afterAnswer(send, settlement, to), chunk: next, changed: true };
}

/** The job's breaker and pause after an answer that came in time. */
function afterAnswer(send: SendRecord, settlement: Settlement, to: ChunkState): SendRecord {
  const next = { ...send };
  if (to === 'unknown') {
    next.inFlightLimit = 1;
    next.unknownRun = send.unknownRun + 1;
  } else if (settlement.request === 'answered' && settlement.to !== 'pending') {
    next.inFlightLimit = Math.min(BREAKER_MOST, send.inFlightLimit + 1);
    next.unknownRun = 0;
  }
  if (send.kind !== 'job' || send.state !== 'running') return next;
  if (next.unknownRun >= UNKNOWN_ANSWERS_TO_PAUSE) {
    next.state = 'paused';
    next.pauseReason = 'unknown_answers';
  } else if (settlement.to === 'pending' && settlement.pause !== undefined) {
    next.state = 'paused';
    next.pauseReason = settlement.pause;
  }
  return next;
}
