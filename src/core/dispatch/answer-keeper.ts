import { isRateLimited, type Settlement } from '../../ledger/model/attempt-types.ts';
import { jittered } from '../clock.ts';
import type { ChunkResult } from '../sends/chunk-result.ts';
import type { Attempt } from './attempt.ts';
import type { AttemptDeps } from './attempts.ts';

const RETRY_MS = 250;

export function createAnswerKeeper({ ledger, clock, log }: AttemptDeps) {
  /** Tokens of attempts whose answers the store has refused so far. */
  const refused = new Set<string>();

  /** Writes an answer, however often the store refuses it. Undefined if its attempt was over. Never rejects. */
  async function keep(attempt: Attempt, settlement: Settlement) {
    for (;;) {
      try {
        const settled = await settle(attempt, settlement);
        refused.delete(attempt.token);
        return settled;
      } catch (error) {
        refused.add(attempt.token);
        const { id: send } = attempt.send;
        log.error({ err: error, send }, 'the ledger refused an answer; keeping it and trying again');
        await clock.sleep(jittered(RETRY_MS));
      }
    }
  }

  async function settle({ send, chunk, token }: Attempt, settlement: Settlement) {
    for (const truth of [settlement, ...tooLateFor(settlement)]) {
      const settled = await ledger.settle({ send: send.id, index: chunk.index }, token, truth);
      if (settled.settled) return settled;
    }
    log.warn({ send: send.id }, 'an answer came for an attempt that is no longer open');
    return undefined;
  }

  return {
    keep,
    /** Whether the store refuses an answer now. */
    areRefused: () => refused.size > 0,
  };
}

/** If the chunk became unknown meanwhile, it never goes back to pending. But the answer proves that it was not sent. */
function tooLateFor(settlement: Settlement): Settlement[] {
  if (settlement.to !== 'pending' && settlement.to !== 'split') return [];
  const { request } = settlement;
  if (request === 'answered' && settlement.to === 'split') return [];
  const result: ChunkResult = { cause: isRateLimited(request) ? 'rate_limited' : 'given_up' };
  return [{ to: 'not_sent', request, result }];
}
