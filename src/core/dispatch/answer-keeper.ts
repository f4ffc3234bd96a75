import type { Logger } from 'pino';
import type { Ledger } from '../../ledger/ledger.ts';
import { isRateLimited, type Settlement } from '../../ledger/model/attempt-types.ts';
import type { ChunkRecord } from '../../ledger/model/chunk-record.ts';
import type { SendRecord } from '../../ledger/model/send-record.ts';
import { type Clock, jittered } from '../clock.ts';
import type { ChunkResult } from '../sends/chunk-result.ts';
import type { Attempt } from './attempt.ts';

/** Which attempt an answer belongs to. */
type Attempted = Pick<Attempt, 'send' | 'chunk' | 'token'>;

const RETRY_MS = 250;

/** Writes answers into the ledger, however long the store refuses them. */
export function createAnswerKeeper(deps: { ledger: Ledger; clock: Clock; log: Logger }) {
  const { ledger, clock, log } = deps;
  /** Settlements that the store has refused so far. */
  let unsettled = 0;

  /**
   * An answer is never dropped: a settlement that the store refuses is kept and tried again. Resolves once it is written;
   * undefined if the attempt was no longer open. Never rejects.
   */
  async function keep(
    { send, chunk, token }: Attempted,
    settlement: Settlement,
  ): Promise<{ send: SendRecord; chunk: ChunkRecord } | undefined> {
    let refused = false;
    try {
      for (;;) {
        try {
          for (const truth of [settlement, ...tooLateFor(settlement)]) {
            const settled = await ledger.settle({ send: send.id, index: chunk.index }, token, truth);
            if (settled.settled) return settled;
          }
          log.warn({ send: send.id }, 'an answer came for an attempt that is no longer open');
          return undefined;
        } catch (error) {
          if (!refused) unsettled += 1;
          refused = true;
          log.error(
            { err: error, send: send.id },
            'the ledger refused an answer; keeping it and trying again',
          );
          await clock.sleep(jittered(RETRY_MS));
        }
      }
    } finally {
      if (refused) unsettled -= 1;
    }
  }

  return {
    keep,
    /** Whether the store refuses an answer now. */
    areRefused: () => unsettled > 0,
  };
}

/** A chunk that became unknown meanwhile never goes back to pending. The answer says that none of it was sent. */
function tooLateFor(settlement: Settlement): Settlement[] {
  if (settlement.to !== 'pending' && settlement.to !== 'split') return [];
  const { request } = settlement;
  const wasTurnedAway = isRateLimited(request);
  if (request === 'answered' && settlement.to === 'split') return [];
  const result: ChunkResult = { cause: wasTurnedAway ? 'rate_limited' : 'given_up' };
  return [{ to: 'not_sent', request, result }];
}
