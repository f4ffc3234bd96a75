import type { ChunkRecord } from '../../ledger/model/chunk-record.ts';
import type { LedgerLimits } from '../../ledger/model/ledger-limits.ts';
import { SmsInputError } from '../../sms/errors.ts';
import type { Outcome } from '../../sms/request-outcome-types.ts';
import { type BulkResult, MAX_MESSAGE_CHARACTERS, type SendResult } from '../../sms/schema.ts';
import { msSince } from '../clock.ts';
import type { Attempt, Ended, Requested } from './attempt.ts';
import type { AttemptDeps } from './attempts.ts';
import { createHoldBack } from './checks-before-request.ts';

/** A request must start within this many ms of its intent, or it is not made. */
export const LONGEST_FUSE_MS = 1000;

/**
 * How long after its intent a request may start, in ms: half of the time between its own deadline and the end of its lease,
 * at most a second.
 */
export function fuseOf({ leaseMs, timeoutMs }: LedgerLimits): number {
  return Math.min(LONGEST_FUSE_MS, (leaseMs - timeoutMs) / 2);
}

/** The one gate of all requests. None starts before `holdBack` lets its chunk pass, and none starts too late. */
export function createRequestGate(deps: AttemptDeps) {
  const { sms, limits, clock } = deps;
  const holdBack = createHoldBack(deps);
  const fuseMs = fuseOf(limits);

  async function request<Data>(
    attempt: Attempt,
    make: (when: { startBy: number; deadline: number }) => Promise<Outcome<Data>>,
  ): Promise<Requested<Data> | Ended> {
    const held = await holdBack(attempt);
    if (held) return held;
    const { issued } = attempt;
    if (msSince(clock, issued) > fuseMs) return { outcome: 'not_started', cause: 'too_late' };
    try {
      return await make({ startBy: issued.steady + fuseMs, deadline: issued.steady + limits.timeoutMs });
    } catch (error) {
      if (error instanceof SmsInputError) return { outcome: 'forbidden', code: error.code };
      throw error;
    }
  }

  async function sendText(attempt: Attempt): Promise<Requested<SendResult> | Ended> {
    const { chunk, key } = attempt;
    const [message] = chunk.messages;
    if (!message) throw new Error(`chunk ${chunk.send}/${chunk.index} holds no message`);
    const { phone, text } = message;
    return request(attempt, (when) => sms.send(key, { phone, message: text }, when));
  }

  /** Sends one message by POST /messages/send, so that the answer is about nobody else. */
  async function sendAlone(attempt: Attempt): Promise<Requested<BulkResult> | Ended> {
    const outcome = await sendText(attempt);
    if (outcome.outcome !== 'accepted') return outcome;
    const { message_id, status, credits_used, credits_remaining } = outcome.data;
    const phone = attempt.chunk.messages[0]?.phone ?? '';
    const messages = [{ message_id, phone, status }];
    return { outcome: 'accepted', data: { messages_sent: 1, credits_used, credits_remaining, messages } };
  }

  async function sendChunk(attempt: Attempt): Promise<Requested<BulkResult> | Ended> {
    if (isSendable(attempt.chunk)) return sendAlone(attempt);
    const messages = attempt.chunk.messages.map(({ phone, text }) => ({ phone, message: text }));
    return request(attempt, (when) => sms.sendBulk(attempt.key, messages, when));
  }

  return { sendText, sendChunk };
}

/** Whether the chunk can go as a single message ("Limits": 1000 characters; for bulk they are configured). */
function isSendable({ messages }: ChunkRecord): boolean {
  const [message] = messages;
  return messages.length === 1 && [...(message?.text ?? '')].length <= MAX_MESSAGE_CHARACTERS;
}
