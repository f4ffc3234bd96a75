import type { Settlement } from '../../ledger/model/attempt-types.ts';
import { defined } from '../../ledger/model/defined.ts';
import type { BarredFor } from '../../ledger/model/outcome-types.ts';
import { beginOf, STALE_AFTER_MS } from '../../ledger/model/send-states.ts';
import type { ChunkRecord, LedgerMessage, SendRecord } from '../../ledger/model/types.ts';
import type { InputErrorCode } from '../../sms/errors.ts';
import type { Outcome, Refused, Unknown, UnknownCause } from '../../sms/request-outcome.ts';
import type { SendResult } from '../../sms/schema.ts';
import { fateOf } from '../accounts/permitted-request.ts';
import { jittered } from '../clock.ts';
import type { ChunkResult } from '../sends/chunk-result.ts';

/**
 * If the service can't be reached, a single send is tried for this long after it began, then not sent. The ledger would
 * give it up later than that. So its receipt can say why.
 */
const TRY_FOR_MS = STALE_AFTER_MS - 1000;
/**
 * This many 429 answers in a row, each after a rest of the key, are enough: a single send is given up, and a bulk
 * request counts as too big.
 */
export const REFUSALS_IN_A_ROW = 3;
const RETRY_MS = 400;
/** A service's own status is cut to this, in characters. */
export const STATUS_MAX = 40;

/** Our client refused the message by the service's own rules, so nothing was sent. */
export interface Forbidden {
  outcome: 'forbidden';
  code: InputErrorCode;
}

/** The decision is too old, so nothing was sent. */
export interface Stale {
  outcome: 'stale';
}

/** Some messages of the chunk must not be sent, so we made no request. `kept`: those that may go on. */
export interface Barred {
  outcome: BarredFor;
  kept: LedgerMessage[];
  barred: LedgerMessage[];
}

/** The store did not say what must not be sent, so we made no request. */
export interface BarredUnread {
  outcome: 'barred_unread';
}

/** Why we made no request, or its outcome. */
export type Requested<Data> = Outcome<Data> | Forbidden | Barred | BarredUnread;

/**
 * The settlement of a single send by its answer. It goes back to pending only with proof that the request never started,
 * or that the service did not process it (429). Any other request without a clear answer is unknown.
 *
 * @param now the store's clock, ms
 */
export function settleSingle(
  outcome: Requested<SendResult> | Stale,
  { send, chunk, now }: { send: SendRecord; chunk: ChunkRecord; now: number },
): Settlement {
  switch (outcome.outcome) {
    case 'accepted': {
      const { data } = outcome;
      const other = data.status === 'sent' ? {} : { otherStatus: data.status.slice(0, STATUS_MAX) };
      return {
        to: 'sent',
        request: 'answered',
        ...other,
        receipt: { creditsUsed: data.credits_used, creditsRemaining: data.credits_remaining },
        result: result({
          cause: 'accepted',
          messageId: data.message_id,
          creditsUsed: data.credits_used,
          creditsRemaining: data.credits_remaining,
          ...other,
        }),
      };
    }
    case 'refused':
      return rejectedSettlement(outcome);
    case 'forbidden':
      return forbiddenSettlement(outcome);
    case 'opted_out':
    case 'repeated':
      return leaveOut(outcome.barred, outcome.outcome, outcome.kept);
    case 'barred_unread':
      return { to: 'pending', request: 'never_started', waitMs: jittered(RETRY_MS) };
    case 'stale':
      return { to: 'not_sent', request: 'never_started', result: result({ cause: 'given_up' }) };
    case 'rate_limited': {
      const request = { restMs: outcome.retryAfterMs };
      if (chunk.refusals + 1 < REFUSALS_IN_A_ROW) return { to: 'pending', request, waitMs: 0 };
      return { to: 'not_sent', request, result: result({ cause: 'rate_limited' }) };
    }
    case 'not_started': {
      // Late in the fuse says nothing about the service: the next attempt is free to try.
      if (outcome.cause === 'too_late') return { to: 'pending', request: 'never_started', waitMs: 0 };
      const leftMs = beginOf(send) + TRY_FOR_MS - now;
      if (leftMs <= 0) {
        return { to: 'not_sent', request: 'never_started', result: result({ cause: 'unreachable' }) };
      }
      const waitMs = Math.min(leftMs, jittered(RETRY_MS * Math.min(4, chunk.attempt)));
      return { to: 'pending', request: 'never_started', waitMs };
    }
    case 'unknown':
      return unknownSettlement(outcome);
  }
}

const REFUSALS: { [reason in Refused['reason']]: ChunkResult['cause'] } = {
  key: 'key_refused',
  credits: 'credits',
  validation: 'validation',
  other: 'refused',
};

/** One message and a clear refusal. */
export function rejectedSettlement(outcome: Refused): Settlement & { to: 'rejected' } {
  const words = result({ cause: REFUSALS[outcome.reason], ...wordsOf(outcome) });
  return { to: 'rejected', request: 'answered', result: words };
}

/** Our own client refused the message, so nothing was sent. */
export function forbiddenSettlement({ code }: Forbidden): Settlement {
  return { to: 'not_sent', request: 'never_started', result: result({ cause: 'validation', code }) };
}

/** Settles messages that must not be sent as not sent. The rest of the chunk goes on as a smaller one. */
export function leaveOut(left: LedgerMessage[], why: BarredFor, kept: LedgerMessage[]): Settlement {
  const barred = { result: result({ cause: why }), barredFor: why };
  if (kept.length === 0) return { to: 'not_sent', request: 'never_started', ...barred };
  return {
    to: 'split',
    request: 'never_started',
    children: [kept],
    leftOut: [{ messages: left, ...barred }],
    mostRequests: Number.MAX_SAFE_INTEGER,
    otherwise: { to: 'pending', request: 'never_started', waitMs: 0 },
  };
}

/** The service's words for a refusal, and its figures if credits are short. */
export function wordsOf({
  code,
  message,
  requiredCredits,
  availableCredits,
}: Refused): Omit<ChunkResult, 'cause'> {
  return { code, message, ...defined({ requiredCredits, availableCredits }) };
}

const CAUSES: { [cause in UnknownCause]: ChunkResult['cause'] } = {
  timeout: 'no_answer',
  reset: 'no_answer',
  server_error: 'server_error',
  truncated: 'broken_answer',
  unreadable: 'broken_answer',
  redirect: 'broken_answer',
  unexpected_status: 'broken_answer',
};

/** Settles a request that started and got no clear answer as unknown. */
export function unknownSettlement(outcome: Unknown): Settlement {
  const request = fateOf(outcome) === 'unanswered' ? 'unanswered' : 'answered';
  return { to: 'unknown', request, result: result({ cause: CAUSES[outcome.cause] }) };
}

/** Checks a result's type, since the ledger would take any JSON. */
export function result(value: ChunkResult) {
  return value;
}
