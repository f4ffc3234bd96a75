import type { Settlement } from '../../ledger/model/attempt-types.ts';
import type { ChunkRecord } from '../../ledger/model/chunk-record.ts';
import { defined } from '../../ledger/model/defined.ts';
import { isKeyError } from '../../sms/read-outcome.ts';
import type { Refused } from '../../sms/request-outcome-types.ts';
import type { RefusalMode } from '../accounts/list-refusals.ts';
import { type PauseReason, writePauseReason } from '../jobs/pause-reason.ts';
import type { ChunkResult } from '../sends/chunk-result.ts';
import { halve, splitInto, splitInvalid } from './split-chunk.ts';

const CAUSE_OF_REFUSAL: { [reason in Refused['reason']]: ChunkResult['cause'] } = {
  key: 'key_refused',
  credits: 'credits',
  validation: 'validation',
  other: 'refused',
};

/** The settlement of one message that the service clearly refused. */
export function settleRejected(outcome: Refused): Settlement & { to: 'rejected' } {
  const result: ChunkResult = { cause: CAUSE_OF_REFUSAL[outcome.reason], ...wordsOf(outcome) };
  return { to: 'rejected', request: 'answered', result };
}

/**
 * What a refusal makes of a chunk of a job.
 *
 * The service may have sent a part of a bulk request that it refuses: its document does not say ("POST
 * /messages/send-bulk"). So all messages of a refused bulk request are unknown and the job pauses, unless the instance
 * is marked `atomic`. If the request held one message, the refusal is that message's own outcome.
 */
export function settleRefused(outcome: Refused, chunk: ChunkRecord, refusalMode: RefusalMode): Settlement {
  const { length } = chunk.messages;
  // The service refuses the key before it looks at the messages ("Authentication").
  if (isKeyError(outcome)) return backFor({ why: 'key_refused' });
  if (length === 1) return rejectedAlone(outcome);
  return refusalMode === 'atomic' ? wholeRefused(outcome, chunk) : perhapsSent(outcome, length);
}

/** The service's words for a refusal, and its figures if credits are short. */
function wordsOf(refused: Refused): Omit<ChunkResult, 'cause'> {
  const { code, message, requiredCredits, availableCredits } = refused;
  return { code, message, ...defined({ requiredCredits, availableCredits }) };
}

/** Rejects the one message. The job pauses if the service would refuse the next one for the same reason. */
function rejectedAlone(outcome: Refused): Settlement {
  const settlement = settleRejected(outcome);
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
    ...splitInto(children, { to: 'rejected', request: 'answered', result: asGroup }),
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
