import { isRateLimited, type Settlement } from '../../ledger/model/attempt-types.ts';
import type { ChunkRecord } from '../../ledger/model/chunk-record.ts';
import type { Words } from '../../ledger/model/repeat-types.ts';
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

/** The ends of a request that may have texted somebody. */
const MAY_HAVE_TEXTED: Settlement['to'][] = ['sent', 'unknown', 'resolved_per_message'];

/** An answer, and all that it takes to write it again. */
interface Answer {
  attempt: Attempt;
  settlement: Settlement;
  /** How the repeat guard knows the messages, in their order. */
  words: Words[];
}

/** Writes answers into the ledger. */
export function createAnswerKeeper({ ledger, wordsOf, clock, log }: AttemptDeps) {
  /** Tokens of attempts whose answers the store has refused so far. */
  const refused = new Set<string>();
  /** The last answers by token, the oldest first: a store that fails over may forget them. */
  const written = createShortMemory<Answer>(KEEP_MS, clock.steady);

  /** Writes an answer, however often the store refuses. Undefined if its attempt was over. Never rejects. */
  async function insist(answer: Answer) {
    const { token, send } = answer.attempt;
    const about = { send: send.id };
    for (;;) {
      try {
        const settled = await settle(answer, refused.has(token));
        if (refused.delete(token)) log.info(about, 'the ledger has taken the answer');
        if (settled) remember(answer, settled.chunk);
        return settled;
      } catch (error) {
        if (!refused.has(token))
          log.error({ err: error, ...about }, 'the ledger refused an answer; keeping it and trying again');
        refused.add(token);
        await clock.sleep(jittered(RETRY_MS));
      }
    }
  }

  /** Remembers an answer that the ledger has taken, if it ends its attempt for good. */
  function remember({ attempt, settlement, words }: Answer, { state }: ChunkRecord): void {
    const { send, chunk, token } = attempt;
    // While its key rests, the ledger lets a text wait, whatever the settlement asks for: another attempt may follow.
    if (state === 'pending' || settlement.to === 'pending') return;
    if (send.kind === 'job' && !wasMade(settlement)) return;
    // Two minutes of lists would take much room with all their messages.
    const light: Attempt = { ...attempt, chunk: { ...chunk, messages: [] } };
    written.set(token, { attempt: light, settlement, words });
  }

  /** Writes an answer. Undefined if its attempt was over. Never rejects. */
  function keep(attempt: Attempt, settlement: Settlement) {
    const { send, chunk } = attempt;
    const words = chunk.messages.flatMap((message) => wordsOf(send.team, message) ?? []);
    return insist({ attempt, settlement, words });
  }

  /** The store may have forgotten the last answers: writes them again, one after the other. Never rejects. */
  async function writeAgain(): Promise<void> {
    const answers = written.values();
    for (const { attempt } of answers) written.delete(attempt.token);
    for (const answer of answers) await insist(answer);
  }

  /** `isRepeated`: the store may have this answer already. */
  async function settle({ attempt, settlement, words }: Answer, isRepeated: boolean) {
    const { instance, send, chunk, token } = attempt;
    const { keyFingerprint: rateLimitKey, accountId: account } = instance;
    const made = { rateLimitKey, account, attempt: chunk.attempt, send, isRepeated, words };
    for (const truth of [settlement, ...tooLateFor(settlement)]) {
      const settled = await ledger.settle({ send: send.id, index: chunk.index }, token, truth, made);
      if (settled.settled) return settled;
    }
    const about = { send: send.id, outcome: settlement.to };
    const isForgotten = send.kind === 'job' && wasMade(settlement) && (await noteIfForgotten(chunk, token));
    const stored = await ledger.find(send.id);
    // The store may have forgotten the decision, and the draft may have ended since.
    const isLost = stored === undefined || (isEndedDraft(stored) && wasMade(settlement));
    const isClaimed = (isLost || isForgotten) && MAY_HAVE_TEXTED.includes(settlement.to);
    for (const each of isClaimed ? words : []) await ledger.claimLost(send, each);
    if (isLost) {
      await ledger.announce(lostRecord(send, settlement, { isGone: stored === undefined }));
      log.error(about, 'the ledger has lost a send; its sender reads what the answer says');
    } else log.warn(about, 'an answer came for an attempt that is no longer open');
    return undefined;
  }

  /**
   * If the store has forgotten a request of a job, and its answer does not count any more, the job pauses at the next
   * comparison with the balance. If the store has forgotten the decision, too, the draft expires, so that nobody sends it
   * again. Resolves to whether the store has forgotten the request.
   */
  async function noteIfForgotten({ send, index, attempt }: ChunkRecord, token: string): Promise<boolean> {
    const [stored] = await ledger.chunks(send, { from: index, limit: 1 });
    // Each attempt has a number of its own. If the store has another one with this number, it has forgotten ours.
    const { token: other = token } = stored ?? {};
    const isAgain = stored?.attempt === attempt && other !== token;
    // Without the chunk, the store has forgotten the split that made it.
    if (stored && stored.attempt >= attempt && !isAgain) return false;
    if (!(await ledger.mergeDetails(send, { restored: true }))) await ledger.expireDraft(send, 'may_be_sent');
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
  if (settlement.to === 'split') return tooLateFor(settlement.otherwise);
  if (settlement.to !== 'pending') return [];
  const { request } = settlement;
  const result: ChunkResult = { cause: isRateLimited(request) ? 'rate_limited' : 'given_up' };
  return [{ to: 'not_sent', request, result }];
}
