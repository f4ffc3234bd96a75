import type { LedgerLimits } from '../../ledger/model/ledger-limits.ts';
import { SmsInputError } from '../../sms/errors.ts';
import type { Outcome } from '../../sms/request-outcome-types.ts';
import { type BulkResult, MESSAGE_MAX, type SendResult } from '../../sms/schema.ts';
import { msSince } from '../clock.ts';
import type { Attempt, Ended, Requested } from './attempt.ts';
import type { AttemptDeps } from './attempts.ts';
import { createHoldBack } from './checks-before-request.ts';

/** A request must start within this many ms of its intent, or it is not made. */
export const LONGEST_FUSE_MS = 1000;

/** How long after its intent a request may start, in ms: half of the lease's rest after the deadline, a second at most. */
export function fuseOf({ leaseMs, timeoutMs }: LedgerLimits): number {
  return Math.min(LONGEST_FUSE_MS, (leaseMs - timeoutMs) / 2);
}

/** The one gate of all requests. None starts before `holdBack` lets its chunk pass, and none starts too late. */
export function createRequestGate(deps: AttemptDeps): (attempt: Attempt) => Promise<Requested | Ended> {
  const { sms, limits, clock } = deps;
  const holdBack = createHoldBack(deps);
  const fuseMs = fuseOf(limits);

  return async (attempt) => {
    const held = await holdBack(attempt);
    if (held) return held;
    const { issued } = attempt;
    if (msSince(clock, issued) > fuseMs) return { outcome: 'not_started', cause: 'too_late' };
    try {
      return await request(sms, attempt, {
        startBy: issued.steady + fuseMs,
        deadline: issued.steady + limits.timeoutMs,
      });
    } catch (error) {
      if (error instanceof SmsInputError) return { outcome: 'forbidden', code: error.code };
      throw error;
    }
  };
}

/** Sends one message by POST /messages/send, so that the answer is about nobody else; several in one bulk request. */
function request(
  sms: AttemptDeps['sms'],
  { key, chunk }: Attempt,
  when: { startBy: number; deadline: number },
): Promise<Outcome<SendResult | BulkResult>> {
  const messages = chunk.messages.map(({ phone, text }) => ({ phone, message: text }));
  const [only, ...others] = messages;
  // A longer one goes in a bulk request ("Limits": 1000 characters; for bulk they are configured).
  const goesAlone = only && others.length === 0 && [...only.message].length <= MESSAGE_MAX;
  return goesAlone ? sms.send(key, only, when) : sms.sendBulk(key, messages, when);
}
