import type { Settlement } from '../../ledger/model/attempt-types.ts';
import type { ChunkRecord, LedgerMessage } from '../../ledger/model/chunk-record.ts';
import { defined } from '../../ledger/model/defined.ts';
import { isKeyError } from '../../sms/read-outcome.ts';
import type { Refused } from '../../sms/request-outcome-types.ts';
import type { BulkResult } from '../../sms/schema.ts';
import type { RefusalMode } from '../accounts/list-refusals.ts';
import { type PauseReason, writePauseReason } from '../jobs/pause-reason.ts';
import type { ChunkResult } from '../sends/chunk-result.ts';
import type { Requested } from './attempt.ts';
import { settleAccepted } from './match-bulk.ts';
import {
  goesBack,
  notSent,
  RATE_LIMITED_IN_A_ROW,
  rejectedSettlement,
  unknownSettlement,
  wordsOf,
} from './settlement.ts';
import { halve, MOST_REQUESTS, splitInvalid } from './split-chunk.ts';

/**
 * What an answer makes of a chunk of a job.
 *
 * The service does not document what it does with the rest of a bulk request that it refuses ("POST /messages/send-bulk"):
 * it may have sent a part. So all messages of a refused bulk request are unknown and the job pauses, unless the instance
 * is marked `atomic`. If the request held one message, the refusal is that message's own outcome.
 */
export function settleBulk(
  outcome: Requested<BulkResult>,
  { chunk, refusalMode, retryMs }: { chunk: ChunkRecord; refusalMode: RefusalMode; retryMs: number },
): Settlement {
  const { messages } = chunk;
  switch (outcome.outcome) {
    case 'accepted':
      return settleAccepted(messages, outcome.data);
    case 'refused':
      // The service refuses the key before it looks at the messages ("Authentication").
      if (isKeyError(outcome)) return backFor({ why: 'key_refused' });
      if (messages.length === 1) return rejectedAlone(outcome);
      return refusalMode === 'atomic' ? wholeRefused(outcome, chunk) : perhapsSent(outcome, messages.length);
    case 'forbidden':
      return notSent({ cause: 'validation', code: outcome.code });
    case 'rate_limited': {
      const request = { restMs: outcome.retryAfterMs };
      const wait: Settlement = { to: 'pending', request, waitMs: 0 };
      // A 429 after several rests may mean that the request is too big ("Limits": 429 for bulk size, too).
      const tooBig = chunk.refusals + 1 >= RATE_LIMITED_IN_A_ROW && messages.length > 1;
      return tooBig ? { ...split(halve(messages), wait), request } : wait;
    }
    case 'not_started':
      return goesBack(outcome.cause === 'too_late' ? 0 : retryMs);
    case 'unknown':
      return unknownSettlement(outcome);
  }
}

/** Rejects the one message. The job pauses if the service would refuse the next one for the same reason. */
function rejectedAlone(outcome: Refused): Settlement {
  const settlement = rejectedSettlement(outcome);
  if (outcome.reason === 'validation') return settlement;
  return { ...settlement, pause: writePauseReason(pauseOf(outcome)) };
}

/** The service refused several messages, but may have sent some, since the instance is not `atomic`. */
function perhapsSent(outcome: Refused, messages: number): Settlement {
  const { reason, requiredCredits: required, availableCredits: available, message } = outcome;
  const pause: PauseReason = {
    why: 'list_refused',
    reason: reason === 'key' ? 'other' : reason,
    messages,
    message,
    ...defined({ required, available }),
  };
  return {
    to: 'unknown',
    request: 'answered',
    result: { cause: 'list_refused', ...wordsOf(outcome) } satisfies ChunkResult,
    pause: writePauseReason(pause),
  };
}

/** The service sent none of several messages: the provider refuses whole requests. */
function wholeRefused(outcome: Refused, chunk: ChunkRecord): Settlement {
  if (outcome.reason !== 'validation') return backFor(pauseOf(outcome));
  const { code, message } = outcome;
  const children =
    chunk.parent === undefined ? splitInvalid(chunk.messages, outcome.fields ?? []) : halve(chunk.messages);
  const asGroup: ChunkResult = { cause: 'group_refused', code, message };
  const asWhole: ChunkResult = { cause: 'validation', code, message };
  return {
    ...split(children, { to: 'rejected', request: 'answered', result: asGroup }),
    result: asWhole,
  };
}

function pauseOf(refused: Refused): PauseReason {
  const { code, message, requiredCredits: required, availableCredits: available } = refused;
  if (refused.reason !== 'credits') return { why: 'refused', code, message };
  return { why: 'credits', ...defined({ required, available }) };
}

function backFor(reason: PauseReason): Settlement {
  return { to: 'pending', request: 'answered', waitMs: 0, pause: writePauseReason(reason) };
}

function split(children: LedgerMessage[][], otherwise: Settlement): Settlement & { to: 'split' } {
  return { to: 'split', request: 'answered', children, mostRequests: MOST_REQUESTS, otherwise };
}
