import type { Logger } from 'pino';
import type { ChunkRecord, LedgerLimits } from '../../ledger/model/types.ts';
import type { SmsClient } from '../../sms/client.ts';
import { SmsInputError } from '../../sms/errors.ts';
import type { Outcome } from '../../sms/outcome-types.ts';
import { type BulkResult, MAX_MESSAGE_CHARACTERS, type SendResult } from '../../sms/schema.ts';
import type { Clock } from '../clock.ts';
import type { OptOuts } from '../opt-outs/opt-outs.ts';
import type { Attempt } from './attempt.ts';
import type { OptedOut, OptOutsUnread, Requested } from './settlement.ts';

/** The request leaves within this many ms of its intent, or not under that intent. */
export const LONGEST_FUSE_MS = 1000;

/** How long after its intent a request may start: half of what the lease leaves over the request's own deadline. */
export function fuseOf({ leaseMs, timeoutMs }: LedgerLimits): number {
  return Math.min(LONGEST_FUSE_MS, (leaseMs - timeoutMs) / 2);
}

/** The one gate of all requests: none leaves before the store has said who must get no texts. */
export interface RequestGate {
  /** A single send's message. */
  sendText(attempt: Attempt): Promise<Requested<SendResult>>;
  sendChunk(attempt: Attempt): Promise<Requested<BulkResult>>;
}

export function createRequestGate({
  sms,
  optOuts,
  limits,
  clock,
  log,
}: {
  sms: Pick<SmsClient, 'send' | 'sendBulk'>;
  optOuts: Pick<OptOuts, 'leaveOut'>;
  limits: LedgerLimits;
  clock: Clock;
  log: Logger;
}): RequestGate {
  const fuseMs = fuseOf(limits);

  async function request<Data>(
    attempt: Attempt,
    make: (when: { startBy: number; deadline: number }) => Promise<Outcome<Data>>,
  ): Promise<Requested<Data>> {
    const barred = await barredBy(attempt);
    if (barred) return barred;
    const { issued } = attempt;
    const spent = Math.max(clock.steady() - issued.steady, clock.wall() - issued.wall);
    if (spent > fuseMs) return { outcome: 'not_started', cause: 'too_late' };
    try {
      return await make({ startBy: issued.steady + fuseMs, deadline: issued.steady + limits.timeoutMs });
    } catch (error) {
      if (error instanceof SmsInputError) {
        return { outcome: 'forbidden', code: error.code };
      }
      throw error;
    }
  }

  /** Undefined where every number of the chunk may be texted. */
  async function barredBy({ send, chunk }: Attempt): Promise<OptedOut | OptOutsUnread | undefined> {
    try {
      const { kept, optedOut } = await optOuts.leaveOut(send.team, chunk.messages);
      return optedOut.length === 0 ? undefined : { outcome: 'opted_out', kept, optedOut };
    } catch (error) {
      log.error({ err: error, send: send.id }, 'the opt-outs could not be read before a request');
      return { outcome: 'opt_outs_unread' };
    }
  }

  async function sendText(attempt: Attempt): Promise<Requested<SendResult>> {
    const { chunk, key } = attempt;
    const [message] = chunk.messages;
    if (!message) throw new Error(`chunk ${chunk.send}/${chunk.index} holds no message`);
    const { phone, text } = message;
    return request(attempt, (when) => sms.send(key, { phone, message: text }, when));
  }

  /** One message by POST /messages/send: what the service answers is about nobody else. */
  async function sendAlone(attempt: Attempt): Promise<Requested<BulkResult>> {
    const outcome = await sendText(attempt);
    if (outcome.outcome !== 'accepted') return outcome;
    const { message_id, status, credits_used, credits_remaining } = outcome.data;
    const phone = attempt.chunk.messages[0]?.phone ?? '';
    const messages = [{ message_id, phone, status }];
    return { outcome: 'accepted', data: { messages_sent: 1, credits_used, credits_remaining, messages } };
  }

  function sendBulk(attempt: Attempt): Promise<Requested<BulkResult>> {
    const messages = attempt.chunk.messages.map(({ phone, text }) => ({ phone, message: text }));
    return request(attempt, (when) => sms.sendBulk(attempt.key, messages, when));
  }

  return {
    sendText,
    sendChunk: (attempt) => (isSendable(attempt.chunk) ? sendAlone(attempt) : sendBulk(attempt)),
  };
}

/** Whether the chunk can go as a single message ("Limits": 1000 characters; for bulk they are configured). */
function isSendable({ messages }: ChunkRecord): boolean {
  const [message] = messages;
  return messages.length === 1 && [...(message?.text ?? '')].length <= MAX_MESSAGE_CHARACTERS;
}
