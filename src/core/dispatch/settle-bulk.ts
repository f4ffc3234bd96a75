import type { Outcome, Refused } from '../../sms/outcome.ts';
import type { BulkResult } from '../../sms/schema.ts';
import type { ChunkRecord, Settlement } from '../../store/ledger.ts';
import type { PauseReason } from '../jobs/job-details.ts';
import type { ChunkResult } from '../sends/details.ts';
import { settleAccepted } from './match-bulk.ts';
import { type Forbidden, REFUSALS_IN_A_ROW, unknownSettlement } from './settlement.ts';
import { halve, MOST_REQUESTS, splitInvalid } from './split-chunk.ts';

/**
 * What an answer makes of a chunk of a job: at once, or depending on whether the balance proves that nothing of it was
 * charged. What the service does with part of a bulk request is not documented ("POST /messages/send-bulk"), so a
 * refusal alone proves nothing.
 */
export type BulkSettlement =
  | { kind: 'settle'; settlement: Settlement }
  | { kind: 'prove'; proven: Settlement; disproved: Settlement };

/**
 * @param retryMs after how long a request that never started is made again
 */
export function settleBulk(
  outcome: Outcome<BulkResult> | Forbidden,
  { chunk, retryMs }: { chunk: ChunkRecord; retryMs: number },
): BulkSettlement {
  const { messages } = chunk;
  switch (outcome.outcome) {
    case 'accepted':
      return settle(settleAccepted(messages, outcome.data));
    case 'refused':
      return afterRefusal(outcome, chunk);
    case 'forbidden':
      return settle({
        to: 'not_sent',
        request: 'never_started',
        result: result({ cause: 'validation', code: outcome.code, message: outcome.message }),
      });
    case 'rate_limited': {
      const request = { restMs: outcome.retryAfterMs };
      const wait: Settlement = { to: 'pending', request, waitMs: 0 };
      // After rests that were waited out, the request itself may be too big ("Limits": 429 for bulk size, too).
      const tooBig = chunk.refusals + 1 >= REFUSALS_IN_A_ROW && messages.length > 1;
      return settle(tooBig ? { ...split(halve(messages), wait), request } : wait);
    }
    case 'not_started':
      return settle({
        to: 'pending',
        request: 'never_started',
        waitMs: outcome.cause === 'too_late' ? 0 : retryMs,
      });
    case 'unknown':
      return settle(unknownSettlement(outcome));
  }
}

function afterRefusal(outcome: Refused, chunk: ChunkRecord): BulkSettlement {
  const { code, message, requiredCredits: required, availableCredits: available } = outcome;
  const credits = {
    ...(required === undefined ? {} : { required }),
    ...(available === undefined ? {} : { available }),
  };
  switch (outcome.reason) {
    case 'key':
      // Refused before anything is looked at ("Authentication").
      return settle(pauseFor({ why: 'key_refused' }));
    case 'credits':
      return prove(pauseFor({ why: 'credits', ...credits }));
    case 'other':
      return prove(pauseFor({ why: 'refused', code, message }));
    case 'validation': {
      const rejected = (cause: ChunkResult['cause']): Settlement => ({
        to: 'rejected',
        request: 'answered',
        result: result({ cause, code, message }),
      });
      if (chunk.messages.length === 1) return settle(rejected('validation'));
      const children =
        chunk.parent === undefined
          ? splitInvalid(chunk.messages, outcome.fields ?? [])
          : halve(chunk.messages);
      const words = result({ cause: 'validation', code, message });
      return prove({ ...split(children, rejected('group_refused')), result: words });
    }
  }
}

function settle(settlement: Settlement): BulkSettlement {
  return { kind: 'settle', settlement };
}

function prove(proven: Settlement): BulkSettlement {
  const disproved: Settlement = {
    to: 'unknown',
    request: 'answered',
    result: result({ cause: 'unproven' }),
  };
  return { kind: 'prove', proven, disproved };
}

function pauseFor(reason: PauseReason): Settlement {
  return { to: 'pending', request: 'answered', waitMs: 0, pause: JSON.stringify(reason) };
}

function split(children: ChunkRecord['messages'][], otherwise: Settlement) {
  return {
    to: 'split' as const,
    request: 'answered' as const,
    children,
    mostRequests: MOST_REQUESTS,
    otherwise,
  } satisfies Settlement;
}

function result(value: ChunkResult) {
  return value;
}
