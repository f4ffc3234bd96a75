import type { Settlement } from './attempt-types.ts';
import type { ChunkState } from './outcome-types.ts';
import type { SendRecord } from './send-record.ts';

/** The breaker of a job: answers raise and lower how many requests are in flight, and pause it. */

/** A job starts with this many requests in flight at most, and never has more than `BREAKER_MAX_LIMIT`. */
export const BREAKER_INITIAL_LIMIT = 8;
export const BREAKER_MAX_LIMIT = 16;
/** This many unknown answers in a row pause a job. An outage then leaves two chunks in doubt, not all of them. */
const UNKNOWN_ANSWERS_TO_PAUSE = 2;

/** Whether an answer names none of its messages. If the service writes numbers in its own way, no answer would. */
function listsNone(settlement: Settlement): boolean {
  return (
    settlement.to === 'resolved_per_message' && settlement.parts.every(({ state }) => state === 'unknown')
  );
}

export function breakerOf({ inFlightLimit = BREAKER_INITIAL_LIMIT, unknownRun = 0 }: SendRecord) {
  return { inFlightLimit, unknownRun };
}

/** The send's breaker after an answer that came in time. */
export function withBreaker(send: SendRecord, settlement: Settlement, to: ChunkState): SendRecord {
  if (send.kind !== 'job') return send;
  const { inFlightLimit, unknownRun } = breakerOf(send);
  if (to === 'unknown' || listsNone(settlement))
    return { ...send, inFlightLimit: 1, unknownRun: unknownRun + 1 };
  if (settlement.request !== 'answered' || settlement.to === 'pending') return send;
  return { ...send, inFlightLimit: Math.min(BREAKER_MAX_LIMIT, inFlightLimit + 1), unknownRun: 0 };
}

/** Why the ledger paused a job: it costs more than a budget or its approval allows. */
export const DEARER = { month: 'over_month', day: 'over_day', approval: 'over_approval' } as const;

/** The send; a running job is paused if the answer or the breaker asks for that. */
export function pausedBy(settlement: Settlement, send: SendRecord): SendRecord {
  if (send.kind !== 'job' || send.state !== 'running') return send;
  const asked = 'pause' in settlement ? settlement.pause : undefined;
  const pause =
    asked ?? (breakerOf(send).unknownRun >= UNKNOWN_ANSWERS_TO_PAUSE ? 'unknown_answers' : undefined);
  return pause === undefined ? send : { ...send, state: 'paused', pauseReason: pause };
}
