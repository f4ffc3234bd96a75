import type { Settlement } from '../../ledger/model/attempt-types.ts';
import type { ChunkRecord } from '../../ledger/model/chunk-record.ts';
import { defined } from '../../ledger/model/defined.ts';
import type { SendRecord } from '../../ledger/model/send-record.ts';
import { beginOf, STALE_AFTER_MS } from '../../ledger/model/send-states.ts';
import type { Refused, Unknown, UnknownCause } from '../../sms/request-outcome-types.ts';
import type { SendResult } from '../../sms/schema.ts';
import { fateOf } from '../accounts/permitted-request.ts';
import { jittered } from '../clock.ts';
import { type PauseReason, writePauseReason } from '../jobs/pause-reason.ts';
import type { ChunkResult } from '../sends/chunk-result.ts';
import type { Requested } from './attempt.ts';

/** How long we try to reach the service with a text, in ms. The ledger gives up later, so the receipt can say why. */
const TRY_FOR_MS = STALE_AFTER_MS - 1000;
/** After this many 429 answers in a row, each after a rest, we give up a text or halve a bulk request. */
export const RATE_LIMITED_IN_A_ROW = 3;
/** We try a text again after this, in ms; longer after each try. */
export const RETRY_MS = 400;
/** The most characters that we keep of a service's own status. */
export const STATUS_MAX = 40;

/**
 * The settlement of a single text by its answer. The text goes back to pending only with proof: the request never started,
 * or the service did not process it (429). Without a clear answer, any other text is unknown.
 */
export function settleSingle(
  outcome: Requested<SendResult>,
  { send, chunk, now }: { send: SendRecord; chunk: ChunkRecord; now: number },
): Settlement {
  switch (outcome.outcome) {
    case 'accepted': {
      const { message_id: messageId, status, credits_used: creditsUsed } = outcome.data;
      const receipt = { creditsUsed, creditsRemaining: outcome.data.credits_remaining };
      const other = status === 'sent' ? {} : { otherStatus: status.slice(0, STATUS_MAX) };
      const result: ChunkResult = { cause: 'accepted', messageId, ...receipt, ...other };
      return { to: 'sent', request: 'answered', ...other, receipt, result };
    }
    case 'refused':
      return rejectedSettlement(outcome);
    case 'forbidden':
      return notSent({ cause: 'validation', code: outcome.code });
    case 'rate_limited': {
      const request = { restMs: outcome.retryAfterMs };
      if (chunk.refusals + 1 < RATE_LIMITED_IN_A_ROW) return { to: 'pending', request, waitMs: 0 };
      return { to: 'not_sent', request, result: { cause: 'rate_limited' } satisfies ChunkResult };
    }
    case 'not_started': {
      // Being late says nothing about the service: try again at once.
      if (outcome.cause === 'too_late') return goesBack(0);
      const leftMs = beginOf(send) + TRY_FOR_MS - now;
      if (leftMs <= 0) return notSent({ cause: 'unreachable' });
      return goesBack(Math.min(leftMs, jittered(RETRY_MS * Math.min(4, chunk.attempt))));
    }
    case 'unknown':
      return unknownSettlement(outcome);
  }
}

const CAUSE_OF_REFUSAL: { [reason in Refused['reason']]: ChunkResult['cause'] } = {
  key: 'key_refused',
  credits: 'credits',
  validation: 'validation',
  other: 'refused',
};

/** The settlement of one message that the service clearly refused. */
export function rejectedSettlement(outcome: Refused): Settlement & { to: 'rejected' } {
  const result: ChunkResult = { cause: CAUSE_OF_REFUSAL[outcome.reason], ...wordsOf(outcome) };
  return { to: 'rejected', request: 'answered', result };
}

/** No request started, and none will. */
export function notSent(result: ChunkResult): Settlement & { to: 'not_sent' } {
  return { to: 'not_sent', request: 'never_started', result };
}

/** No request started: the chunk waits `waitMs` for another try. With `pause`, its job waits for a person. */
export function goesBack(waitMs: number, pause?: PauseReason): Settlement {
  const back = { to: 'pending', request: 'never_started', waitMs } as const;
  return pause ? { ...back, pause: writePauseReason(pause) } : back;
}

/** The service's words for a refusal, and its figures if credits are short. */
export function wordsOf(refused: Refused): Omit<ChunkResult, 'cause'> {
  const { code, message, requiredCredits, availableCredits } = refused;
  return { code, message, ...defined({ requiredCredits, availableCredits }) };
}

const CAUSE_OF_UNKNOWN: { [cause in UnknownCause]: ChunkResult['cause'] } = {
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
  const result: ChunkResult = { cause: CAUSE_OF_UNKNOWN[outcome.cause] };
  return { to: 'unknown', request, result };
}
