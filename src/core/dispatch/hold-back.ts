import type { Logger } from 'pino';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Settlement } from '../../ledger/model/attempt-types.ts';
import { defined } from '../../ledger/model/defined.ts';
import { isErased } from '../../ledger/model/read-chunks.ts';
import { JobDetails } from '../jobs/job-details.ts';
import type { WordsOf } from '../sends/same-words.ts';
import type { Attempt } from './attempt.ts';
import type { Funds } from './funds.ts';
import { goesBack, goesOnAs, leaveOut } from './settlement.ts';

/**
 * Looks at a job's chunk before its request. Says what becomes of a chunk that must not be sent as it is: it goes on as
 * single messages, the balance can't pay for it, or others sent its words.
 */
export function createHoldBack(deps: {
  ledger: Pick<Ledger, 'claimChunk'>;
  funds: Pick<Funds, 'shortfall'>;
  wordsOf: WordsOf;
  log: Logger;
}) {
  const { ledger, funds, wordsOf, log } = deps;

  /**
   * How the chunk goes back before its request: until we have asked the service for the balance, or until a person resumes
   * the job. Nothing was sent, so it may go back where the store fails, too.
   */
  async function shortfallOf({ instance, send, chunk, retryMs }: Attempt): Promise<Settlement | undefined> {
    try {
      const short = await funds.shortfall(instance, chunk);
      if (!short) return undefined;
      const { needed: required, available, sure, asOf } = short;
      return goesBack(0, sure ? { why: 'credits', required, available, ...defined({ asOf }) } : undefined);
    } catch (error) {
      log.error({ err: error, send: send.id }, 'the known credits could not be read before a request');
      return goesBack(retryMs);
    }
  }

  /**
   * Claims the chunk's words, and leaves out messages that another send brings. No request is made without the claim: if
   * the store fails, the chunk goes back.
   */
  async function withoutRepeats({ send, chunk, token, retryMs }: Attempt): Promise<Settlement | undefined> {
    // Messages that the store has lost have no words. It loses all of a chunk, and our client refuses them.
    if (chunk.messages.some(isErased)) return undefined;
    // One for each message, in their order; none at all where no guard is wanted.
    const words = chunk.messages.flatMap((message) => wordsOf(send.team, message) ?? []);
    if (words.length === 0) return undefined;
    try {
      const places = await ledger.claimChunk(send, { index: chunk.index, token, words });
      if (!places) return goesBack(retryMs);
      if (places.length === 0) return undefined;
      const left = chunk.messages.filter((_, place) => places.includes(place));
      const kept = chunk.messages.filter((_, place) => !places.includes(place));
      return leaveOut(left, 'repeated', kept);
    } catch (error) {
      log.error({ err: error, send: send.id }, 'the words could not be claimed before a request');
      return goesBack(retryMs);
    }
  }

  return async (attempt: Attempt): Promise<Settlement | undefined> => {
    const { messages } = attempt.chunk;
    if (messages.length > 1 && JobDetails.parse(attempt.send.details).oneByOne) {
      return goesOnAs(messages.map((message) => [message]));
    }
    return (await shortfallOf(attempt)) ?? withoutRepeats(attempt);
  };
}
