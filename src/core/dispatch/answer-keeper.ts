import { isRateLimited, type Settlement } from '../../ledger/model/attempt-types.ts';
import type { ChunkRecord } from '../../ledger/model/chunk-record.ts';
import type { SendRecord } from '../../ledger/model/send-record.ts';
import { isUndecidedSend, WAS_CONFIRMED } from '../../ledger/model/send-states.ts';
import { jittered } from '../clock.ts';
import type { ChunkResult } from '../sends/chunk-result.ts';
import { lostRecord } from '../sends/lost-record.ts';
import { createShortMemory } from '../short-cache.ts';
import type { Attempt } from './attempt.ts';
import type { AttemptDeps } from './attempts.ts';

const RETRY_MS = 250;

/** How long we remember answers, in ms: longer than Redis takes to fail over. */
const KEEP_MS = 120_000;

/** A request whose answer was written. */
interface Answered extends Pick<ChunkRecord, 'send' | 'index' | 'attempt'> {
  token: string;
  /** Of a single text, what to write again. Two minutes of lists would take much room: they hold all messages. */
  text?: [Attempt, Settlement];
}

/** Writes answers into the ledger. */
export function createAnswerKeeper({ ledger, wordsOf, clock, log }: AttemptDeps) {
  /** Tokens of attempts whose answers the store has refused so far. */
  const refused = new Set<string>();
  /** The last answers by token, the oldest first: a store that fails over may forget them. */
  const written = createShortMemory<Answered>(KEEP_MS, clock.steady);

  /** Does it, however often the store refuses. Never rejects. */
  async function insist<T>({ token, send }: Pick<Answered, 'token' | 'send'>, work: () => Promise<T>) {
    for (;;) {
      try {
        const done = await work();
        if (refused.delete(token)) log.info({ send }, 'the ledger has taken the answer');
        return done;
      } catch (error) {
        if (!refused.has(token))
          log.error({ err: error, send }, 'the ledger refused an answer; keeping it and trying again');
        refused.add(token);
        await clock.sleep(jittered(RETRY_MS));
      }
    }
  }

  /** Writes an answer. Undefined if its attempt was over. Never rejects. */
  async function keep(attempt: Attempt, settlement: Settlement) {
    const { token, send, chunk } = attempt;
    const request = { token, send: send.id, index: chunk.index, attempt: chunk.attempt };
    const settled = await insist(request, () => settle(attempt, settlement, refused.has(token)));
    // While its key rests, the ledger lets a text wait, whatever the settlement asks for: another attempt may follow.
    if (!settled || settled.chunk.state === 'pending') return settled;
    if (send.kind !== 'single') {
      if (wasMade(settlement)) written.set(token, request);
    } else if (settlement.to !== 'pending') written.set(token, { ...request, text: [attempt, settlement] });
    return settled;
  }

  /** The store may have forgotten the last answers: goes through them, one after the other. Never rejects. */
  async function writeAgain(): Promise<void> {
    const answers = written.values();
    for (const { token } of answers) written.delete(token);
    for (const answer of answers) {
      if (answer.text) await keep(...answer.text);
      // Once that is noted, people may resume the job: a later reconnect must not pause it again.
      else if (!(await insist(answer, () => noteIfForgotten(answer)))) written.set(answer.token, answer);
    }
  }

  /** `isRepeated`: the store may have this answer already. */
  async function settle(
    { instance, send, chunk, token }: Attempt,
    settlement: Settlement,
    isRepeated: boolean,
  ) {
    const { keyFingerprint: rateLimitKey, accountId: account } = instance;
    const [message] = chunk.messages;
    // A person who resends an unknown text was asked already.
    const isAsked = send.kind === 'single' && send.resends === undefined && message !== undefined;
    const words = isAsked ? wordsOf(send.team, message) : undefined;
    const made = { rateLimitKey, account, attempt: chunk.attempt, send, isRepeated, words };
    for (const truth of [settlement, ...tooLateFor(settlement)]) {
      const settled = await ledger.settle({ send: send.id, index: chunk.index }, token, truth, made);
      if (settled.settled) return settled;
    }
    const about = { send: send.id, outcome: settlement.to };
    const stored = await ledger.find(send.id);
    // The store may have forgotten the decision, and somebody may have ended the draft since.
    const isLost = stored === undefined || (isEndedDraft(stored) && wasMade(settlement));
    if (isLost) {
      if (words && (settlement.to === 'sent' || settlement.to === 'unknown'))
        await ledger.claimLost(send, words);
      await ledger.announce(lostRecord(send, settlement, { isGone: stored === undefined }));
      log.error(about, 'the ledger has lost a send; its sender reads what the answer says');
    } else {
      log.warn(about, 'an answer came for an attempt that is no longer open');
      if (send.kind === 'job' && wasMade(settlement)) await noteIfForgotten(chunk);
    }
    return undefined;
  }

  /**
   * If the store has forgotten a request of a job, the job pauses at the next comparison with the balance. If the store
   * has forgotten the decision, too, the draft expires, so that nobody sends it again. False if the store knows the
   * request.
   */
  async function noteIfForgotten({ send, index, attempt }: Omit<Answered, 'token'>): Promise<boolean> {
    const [stored] = await ledger.chunks(send, { from: index, limit: 1 });
    if (!stored || stored.attempt >= attempt) return false;
    if (!(await ledger.mergeDetails(send, { restored: true }))) await ledger.expireDraft(send);
    return true;
  }

  return {
    keep,
    writeAgain,
    /** Whether the store refuses an answer now. */
    areRefused: () => refused.size > 0,
  };
}

function isEndedDraft({ state }: SendRecord): boolean {
  return !WAS_CONFIRMED[state] && !isUndecidedSend(state);
}

/** Whether the service may have processed the request. */
function wasMade({ request }: Settlement): boolean {
  return request === 'answered' || request === 'unanswered';
}

/** If the chunk became unknown meanwhile, it never goes back to pending. But the answer proves that it was not sent. */
function tooLateFor(settlement: Settlement): Settlement[] {
  if (settlement.to !== 'pending' && settlement.to !== 'split') return [];
  const { request } = settlement;
  if (request === 'answered' && settlement.to === 'split') return [];
  const result: ChunkResult = { cause: isRateLimited(request) ? 'rate_limited' : 'given_up' };
  return [{ to: 'not_sent', request, result }];
}
