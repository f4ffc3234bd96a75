import type { Logger } from 'pino';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Settlement } from '../../ledger/model/attempt-types.ts';
import { JobDetails } from '../jobs/job-details.ts';
import { type PauseReason, writePauseReason } from '../jobs/pause-reason.ts';
import type { WordsOf } from '../sends/same-words.ts';
import type { Attempt } from './attempt.ts';
import type { Funds, Shortfall } from './funds.ts';
import { leaveOut } from './settlement.ts';
import { splitToSingles } from './split-chunk.ts';

/** We made no request: the chunk goes on as single messages, the balance can't pay for it, or others sent its words. */
export interface HeldBack {
  outcome: 'held_back';
  why: 'one_by_one' | 'credits' | 'repeated';
}

/** Looks at a job's chunk before its request. If the chunk must not be sent as it is, says what becomes of it. */
export type HoldBack = (
  attempt: Attempt,
) => Promise<{ outcome: HeldBack; settlement: Settlement } | undefined>;

export function createHoldBack(deps: {
  ledger: Pick<Ledger, 'claimChunk'>;
  funds: Pick<Funds, 'shortfall'>;
  wordsOf: WordsOf;
  log: Logger;
}): HoldBack {
  const { ledger, funds, wordsOf, log } = deps;
  /** How the chunk goes back before its request. Nothing was sent, so it may go back where the store fails, too. */
  async function shortfallOf({ instance, send, chunk, retryMs }: Attempt): Promise<Settlement | undefined> {
    try {
      const short = await funds.shortfall(instance, chunk);
      return short && backFor(short);
    } catch (error) {
      log.error({ err: error, send: send.id }, 'the known credits could not be read before a request');
      return { to: 'pending', request: 'never_started', waitMs: retryMs };
    }
  }

  /**
   * Claims the chunk's words, and leaves out messages that another send brings. No request is made without the claim: if
   * the store fails, the chunk goes back.
   */
  async function withoutRepeats({ send, chunk, token, retryMs }: Attempt): Promise<Settlement | undefined> {
    const words = chunk.messages.flatMap((message) => wordsOf(send.team, message) ?? []);
    if (words.length === 0) return undefined;
    const back: Settlement = { to: 'pending', request: 'never_started', waitMs: retryMs };
    try {
      const places = await ledger.claimChunk(send, { index: chunk.index, token, words });
      if (!places) return back;
      if (places.length === 0) return undefined;
      const left = chunk.messages.filter((_, place) => places.includes(place));
      const kept = chunk.messages.filter((_, place) => !places.includes(place));
      return leaveOut(left, 'repeated', kept);
    } catch (error) {
      log.error({ err: error, send: send.id }, 'the words could not be claimed before a request');
      return back;
    }
  }

  function heldBack(why: HeldBack['why'], settlement: Settlement) {
    return { outcome: { outcome: 'held_back', why } as const, settlement };
  }

  return async (attempt) => {
    const { chunk, send } = attempt;
    if (chunk.messages.length > 1 && JobDetails.parse(send.details).oneByOne) {
      return heldBack('one_by_one', splitToSingles(chunk));
    }
    const short = await shortfallOf(attempt);
    if (short) return heldBack('credits', short);
    const repeated = await withoutRepeats(attempt);
    return repeated && heldBack('repeated', repeated);
  };
}

/** The chunk goes back: until we have asked the service for the balance, or until a person resumes the job. */
function backFor({ needed, available, sure, asOf }: Shortfall): Settlement {
  const reason: PauseReason = {
    why: 'credits',
    required: needed,
    available,
    ...(asOf === undefined ? {} : { asOf }),
  };
  const back = { to: 'pending', request: 'never_started', waitMs: 0 } as const;
  return sure ? { ...back, pause: writePauseReason(reason) } : back;
}
