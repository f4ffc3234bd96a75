import type { Settlement } from '../../ledger/model/attempt-types.ts';
import type { LedgerMessage, LeftOutPart } from '../../ledger/model/chunk-record.ts';
import type { BarredFor } from '../../ledger/model/outcome-types.ts';
import { isErased } from '../../ledger/model/read-chunks.ts';
import type { SendRecord } from '../../ledger/model/send-record.ts';
import { beginOf, STALE_AFTER_MS } from '../../ledger/model/send-states.ts';
import { LONGEST_WAIT_MS } from '../../ledger/permits/rate-limit.ts';
import { keyTroubleOf } from '../accounts/key-trouble.ts';
import { jittered } from '../clock.ts';
import { JobDetails } from '../jobs/job-details.ts';
import { keyPause, type PauseReason } from '../jobs/pause-reason.ts';
import type { ChunkResult } from '../sends/chunk-result.ts';
import { type Attempt, type Ended, withoutRequest } from './attempt.ts';
import type { AttemptDeps } from './attempts.ts';
import { goesBack, notSent, RETRY_MS } from './settlement.ts';

/** The longest wait of a job's chunk after a failed check, in ms. */
const LONGEST_FAILURE_WAIT_MS = 60_000;
/** How long a chunk waits if another send with the same words has no outcome yet, in ms. Each look takes a permit. */
const HELD_BACK_MS = 5000;

/** Details of a confirmed send: who pays, and whether each message has its own request. */
const Confirmed = JobDetails.pick({ accountId: true, oneByOne: true }).partial();

/**
 * Checks a chunk just before its request. The first check that finds an obstacle says what happens to the chunk. If the
 * store can't answer, or a check fails, the chunk goes back to pending: nothing was sent.
 */
export function createHoldBack(deps: AttemptDeps) {
  const { ledger, funds, optOuts, wordsOf, confirmedHere, clock, log } = deps;

  /** Another account would pay; a text waited too long while the machine slept; or a list's texts go one by one. */
  async function unlikeConfirmed({ instance, send, chunk }: Attempt): Promise<Ended | undefined> {
    const { accountId: account, userName: now } = instance;
    const { accountId = account, oneByOne } = Confirmed.parse(send.details);
    const isText = send.kind === 'single';
    const isKeyMoved = keyTroubleOf(instance) === 'other_account';
    if (isKeyMoved || accountId !== account) {
      const pause: PauseReason = isKeyMoved
        ? keyPause('other_account')
        : { why: 'other_account', account, now };
      const back = isText ? notSent({ cause: 'other_account' }) : goesBack(0, pause);
      return withoutRequest('other_account', back);
    }
    const confirmedAt = confirmedHere.get(send.id);
    if (isText && confirmedAt !== undefined && clock.wall() - confirmedAt > longestWaitOf(send)) {
      return withoutRequest('stale', notSent({ cause: 'given_up' }));
    }
    const { messages } = chunk;
    if (isText || messages.length === 1 || !oneByOne) return undefined;
    return withoutRequest('held_back', goesOnAs(messages.map((message) => [message])));
  }

  /** The balance does not cover a job's chunk, which waits until we have asked the service, or a person resumes the job. */
  async function shortOfCredits({ instance, chunk }: Attempt): Promise<Ended | undefined> {
    const short = await funds.shortfall(instance, chunk);
    if (!short) return undefined;
    const { sure, ...figures } = short;
    return withoutRequest('held_back', goesBack(0, sure ? { why: 'credits', ...figures } : undefined));
  }

  /** Another send brings some of a job's words. The chunk claims the others: we make no request without the claim. */
  async function claimed({ send, chunk, token }: Attempt): Promise<Ended | undefined> {
    const { index, messages } = chunk;
    // If the store has lost a chunk's messages, they have no words to claim. Our client refuses to send them.
    if (messages.some(isErased)) return undefined;
    // Of each message, in order; empty if the repeat guard is off.
    const words = messages.flatMap((message) => wordsOf(send.team, message) ?? []);
    if (words.length === 0) return undefined;
    const places = await ledger.claimChunk(send, { index, token, words });
    if (!places) return withoutRequest('held_back', goesBack(jittered(HELD_BACK_MS)));
    return leftOut(messages, 'repeated', (_, place) => places.includes(place));
  }

  /** Numbers are opted out, or a resend holds texts that were sent after all. */
  async function barred({ send, chunk }: Attempt): Promise<Ended | undefined> {
    const { messages } = chunk;
    const { optedOut } = await optOuts.leaveOut(send.team, messages);
    const settled = leftOut(messages, 'opted_out', (message) => optedOut.includes(message));
    if (settled || !send.resends) return settled;
    const sent = await ledger.sentAfterAll(send.resends);
    // We can't tell which of them were sent, so we send none.
    if (sent === 'forgotten') return leftOut(messages, 'repeated', () => true);
    const isSent = ({ phone, text }: LedgerMessage) =>
      sent.some((other) => other.phone === phone && other.text === text);
    return leftOut(messages, 'repeated', isSent);
  }

  const ofTexts = { unlikeConfirmed, barred };
  const ofJobs = { unlikeConfirmed, shortOfCredits, claimed, barred };

  return async (attempt: Attempt): Promise<Ended | undefined> => {
    const { id, kind } = attempt.send;
    for (const [check, look] of Object.entries(kind === 'single' ? ofTexts : ofJobs)) {
      try {
        const held = await look(attempt);
        if (held) return held;
      } catch (err) {
        log.error({ err, send: id, check }, 'a check before a request failed, so nothing was sent');
        return withoutRequest('unread', goesBack(waitAfterFailure(attempt)));
      }
    }
    return undefined;
  };
}

/** How long a chunk waits after a failed check, in ms. A job's waits longer each time: a check may fail for good. */
function waitAfterFailure({ send, chunk, retryMs }: Attempt): number {
  if (send.kind === 'single') return jittered(RETRY_MS);
  return Math.min(LONGEST_FAILURE_WAIT_MS, retryMs * 2 ** (chunk.attempt - 1));
}

/** How long after its confirmation a text may start, by the wall clock, in ms. Later, nobody expects it any more. */
function longestWaitOf(send: SendRecord): number {
  return beginOf(send) - (send.decidedAt ?? 0) + LONGEST_WAIT_MS + STALE_AFTER_MS;
}

/** Settles messages that must not be sent as not sent. The rest of the chunk goes on as a smaller one. */
function leftOut(
  messages: LedgerMessage[],
  why: BarredFor,
  isLeft: (message: LedgerMessage, place: number) => boolean,
): Ended | undefined {
  const left = messages.filter(isLeft);
  if (left.length === 0) return undefined;
  const kept = messages.filter((message, place) => !isLeft(message, place));
  const result: ChunkResult = { cause: why };
  const settlement =
    kept.length === 0
      ? { ...notSent(result), barredFor: why }
      : goesOnAs([kept], [{ messages: left, result, barredFor: why }]);
  return withoutRequest(why, settlement);
}

/** No request started: the chunk is split into these, without the messages that are left out. */
function goesOnAs(children: LedgerMessage[][], leftOut: LeftOutPart[] = []): Settlement {
  const always = { mostRequests: Number.MAX_SAFE_INTEGER, otherwise: goesBack(0) };
  return { to: 'split', request: 'never_started', children, leftOut, ...always };
}
