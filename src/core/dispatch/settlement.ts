import type { Settlement } from '../../ledger/model/attempt-types.ts';
import { beginOf, STALE_AFTER_MS } from '../../ledger/model/send-states.ts';
import type { UnknownCause } from '../../sms/request-outcome-types.ts';
import type { RefusalMode } from '../accounts/list-refusals.ts';
import { requestEndOf } from '../accounts/permitted-request.ts';
import { jittered } from '../clock.ts';
import { type PauseReason, writePauseReason } from '../jobs/pause-reason.ts';
import type { ChunkResult } from '../sends/chunk-result.ts';
import type { Attempt, Requested } from './attempt.ts';
import { settleAccepted } from './match-bulk.ts';
import { settleRefused, settleRejected } from './settle-refusal.ts';
import { halve, splitInto } from './split-chunk.ts';

/** How long we try to reach the service with a text, in ms. The ledger gives up later, so the receipt can say why. */
const TRY_FOR_MS = STALE_AFTER_MS - 1000;
/** After this many 429 answers in a row, each after a rest, we give up a text or halve a bulk request. */
const RATE_LIMITED_IN_A_ROW = 3;
/** We try a text again after this, in ms; longer after each try. */
export const RETRY_MS = 400;

/**
 * What an answer makes of its chunk. The chunk goes back to pending, or is split into chunks to send, only with proof: the
 * request never started, or the service did not process it. Without a clear answer, its texts are unknown.
 */
export function settlementOf(
  outcome: Requested,
  { send, chunk, retryMs }: Pick<Attempt, 'send' | 'chunk' | 'retryMs'>,
  { refusalMode, now }: { refusalMode: RefusalMode; now: number },
): Settlement {
  const isText = send.kind === 'single';
  const { messages } = chunk;
  switch (outcome.outcome) {
    case 'accepted':
      return settleAccepted(messages, outcome.data);
    case 'refused':
      return isText ? settleRejected(outcome) : settleRefused(outcome, chunk, refusalMode);
    case 'forbidden':
      return notSent({ cause: 'validation', code: outcome.code });
    case 'rate_limited': {
      const request = { restMs: outcome.retryAfterMs };
      const wait: Settlement = { to: 'pending', request, waitMs: 0 };
      if (chunk.refusals + 1 < RATE_LIMITED_IN_A_ROW) return wait;
      if (isText) return { to: 'not_sent', request, result: { cause: 'rate_limited' } satisfies ChunkResult };
      // A 429 after several rests may mean that the request is too big ("Limits": 429 for bulk size, too).
      return messages.length > 1 ? { ...splitInto(halve(messages), wait), request } : wait;
    }
    case 'not_started': {
      // Being late says nothing about the service: try again at once.
      if (outcome.cause === 'too_late') return goesBack(0);
      if (!isText) return goesBack(retryMs);
      const leftMs = beginOf(send) + TRY_FOR_MS - now;
      if (leftMs <= 0) return notSent({ cause: 'unreachable' });
      return goesBack(Math.min(leftMs, jittered(RETRY_MS * Math.min(4, chunk.attempt))));
    }
    case 'unknown': {
      const request = requestEndOf(outcome) === 'unanswered' ? 'unanswered' : 'answered';
      return {
        to: 'unknown',
        request,
        result: { cause: CAUSE_OF_UNKNOWN[outcome.cause] } satisfies ChunkResult,
      };
    }
  }
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

/** No request started, and none will. */
export function notSent(result: ChunkResult): Settlement & { to: 'not_sent' } {
  return { to: 'not_sent', request: 'never_started', result };
}

/** No request started: the chunk waits `waitMs` for another try. With `pause`, its job waits for a person. */
export function goesBack(waitMs: number, pause?: PauseReason): Settlement {
  const back = { to: 'pending', request: 'never_started', waitMs } as const;
  return pause ? { ...back, pause: writePauseReason(pause) } : back;
}
