import type { Logger } from 'pino';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Settlement } from '../../ledger/model/attempt-types.ts';
import { beginOf, STALE_AFTER_MS } from '../../ledger/model/transitions.ts';
import type { ChunkRecord, LedgerLimits, SendRecord } from '../../ledger/model/types.ts';
import { LONGEST_WAIT_MS } from '../../ledger/permits/permits.ts';
import type { ApiKey } from '../../sms/api-key.ts';
import type { SmsClient } from '../../sms/client.ts';
import { SmsInputError } from '../../sms/errors.ts';
import type { Outcome } from '../../sms/outcome.ts';
import { type BulkResult, MAX_MESSAGE_CHARACTERS } from '../../sms/schema.ts';
import type { Instance } from '../accounts/instances.ts';
import type { RefusalMode, Refusals } from '../accounts/refusals.ts';
import type { Clock } from '../clock.ts';
import { JobDetails } from '../jobs/job-details.ts';
import { type PauseReason, writePauseReason } from '../jobs/pause-reason.ts';
import type { OptOuts } from '../opt-outs/opt-outs.ts';
import type { WordsOf } from '../sends/same-words.ts';
import { SendDetails } from '../sends/send-details.ts';
import { createAnswerKeeper } from './answer-keeper.ts';
import type { Funds, Shortfall } from './funds.ts';
import { settleBulk } from './settle-bulk.ts';
import {
  type Forbidden,
  leaveOut,
  type OptedOut,
  type OptOutsUnread,
  type Stale,
  settleSingle,
} from './settlement.ts';
import { splitToSingles } from './split-chunk.ts';

/** A chunk that the ledger handed over, with what it takes to carry it out. */
export interface Attempt {
  instance: Instance;
  key: ApiKey;
  send: SendRecord;
  chunk: ChunkRecord;
  token: string;
  /** When the ledger was asked for it, by both clocks: the steady one stands still while the machine sleeps. */
  issued: { steady: number; wall: number };
  /** Of a job: after how long it is tried again if the service can't be reached. */
  retryMs: number;
}

/** How an attempt went, as its queue needs it: its chunk is `over`, or `goes_on`, here or elsewhere. */
export type AttemptResult = 'over' | 'goes_on' | 'unreachable';

/** Makes the request of an attempt, and settles it with what its answer means. */
export interface Attempts {
  carryOut(attempt: Attempt): Promise<AttemptResult>;
  /** Whether the ledger refuses to take an answer in: nothing new may be started meanwhile. */
  isBlocked(): boolean;
}

/** The request leaves within this many ms of its intent, or not under that intent. */
export const LONGEST_FUSE_MS = 1000;

/** No request was made: the chunk goes on as single messages, the balance can't pay for it, or others sent its words. */
interface HeldBack {
  outcome: 'held_back';
  why: 'one_by_one' | 'credits' | 'repeated';
}

/** Why no request was made, or what came of it. */
type Requested<Data> = Outcome<Data> | Forbidden | OptedOut | OptOutsUnread;

/** How long after its intent a request may start: half of what the lease leaves over the request's own deadline. */
export function fuseOf({ leaseMs, timeoutMs }: LedgerLimits): number {
  return Math.min(LONGEST_FUSE_MS, (leaseMs - timeoutMs) / 2);
}

/** Whether the decision is so old by the wall clock that nobody expects the text any more: the machine slept. */
function isStale(send: SendRecord, wall: number): boolean {
  const confirmedAt = SendDetails.safeParse(send.details).data?.confirmedAt;
  const undoMs = beginOf(send) - (send.decidedAt ?? 0);
  return confirmedAt !== undefined && wall - confirmedAt > undoMs + LONGEST_WAIT_MS + STALE_AFTER_MS;
}

export function createAttempts(deps: {
  ledger: Ledger;
  sms: SmsClient;
  refusals: Pick<Refusals, 'of'>;
  funds: Pick<Funds, 'shortfall'>;
  optOuts: Pick<OptOuts, 'leaveOut'>;
  wordsOf: WordsOf;
  limits: LedgerLimits;
  clock: Clock;
  log: Logger;
  /** Told once an answer is in the ledger; what it does is repeated by polls if the process dies before. */
  onSettled(instance: Instance, send: SendRecord, chunk: ChunkRecord, settlement: Settlement): Promise<void>;
}): Attempts {
  const { ledger, sms, refusals, funds, optOuts, wordsOf, limits, clock, log } = deps;
  const fuseMs = fuseOf(limits);
  const answers = createAnswerKeeper({ ledger, clock, log });

  async function carryOut(attempt: Attempt): Promise<AttemptResult> {
    const started = clock.steady();
    const { outcome, settlement } =
      attempt.send.kind === 'single' ? await single(attempt) : await ofJob(attempt);
    logSettled(attempt, outcome, settlement, clock.steady() - started);
    const settled = await answers.keep(attempt, settlement);
    if (settled) await deps.onSettled(attempt.instance, settled.send, settled.chunk, settlement);
    if (outcome.outcome === 'not_started' && outcome.cause !== 'too_late') return 'unreachable';
    return settled && hasOutcome(settled.chunk) ? 'over' : 'goes_on';
  }

  async function single(attempt: Attempt) {
    const { send, chunk, key } = attempt;
    const [message] = chunk.messages;
    if (!message) throw new Error(`chunk ${chunk.send}/${chunk.index} holds no message`);
    const outcome = isStale(send, clock.wall())
      ? ({ outcome: 'stale' } satisfies Stale)
      : await request(attempt, (when) =>
          sms.send(key, { phone: message.phone, message: message.text }, when),
        );
    const settlement = settleSingle(outcome, { send, chunk, now: ledger.now() });
    return { outcome, settlement };
  }

  async function ofJob(attempt: Attempt): Promise<{
    outcome: Requested<BulkResult> | HeldBack;
    settlement: Settlement;
  }> {
    const { chunk, send, retryMs } = attempt;
    if (chunk.messages.length > 1 && JobDetails.parse(send.details).oneByOne) {
      return { outcome: { outcome: 'held_back', why: 'one_by_one' }, settlement: splitToSingles(chunk) };
    }
    const short = await shortfallOf(attempt);
    if (short) return { outcome: { outcome: 'held_back', why: 'credits' }, settlement: short };
    const repeated = await withoutRepeats(attempt);
    if (repeated) return { outcome: { outcome: 'held_back', why: 'repeated' }, settlement: repeated };
    const outcome = await (isSendable(chunk) ? sendSingle(attempt) : sendBulk(attempt));
    const mode = outcome.outcome === 'refused' ? await modeOf(attempt) : 'unproven';
    const settlement = settleBulk(outcome, { chunk, refusals: mode, retryMs });
    return { outcome, settlement };
  }

  /** How the chunk goes back before its request. Nothing was sent, so it may go back where the store fails, too. */
  async function shortfallOf({ instance, send, chunk, retryMs }: Attempt): Promise<Settlement | undefined> {
    try {
      const short = await funds.shortfall(instance, chunk);
      return short && heldBack(short);
    } catch (error) {
      log.error({ err: error, send: send.id }, 'the known credits could not be read before a request');
      return { to: 'pending', request: 'never_started', waitMs: retryMs };
    }
  }

  /**
   * Claims the chunk's words, and leaves out what another send brings. A request never leaves without the claim: where
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

  /** An answer must not be lost where the store fails now: unproven is always true. */
  async function modeOf({ instance, send }: Attempt): Promise<RefusalMode> {
    try {
      return (await refusals.of(instance)).mode;
    } catch (error) {
      log.error({ err: error, send: send.id }, 'how this provider refuses lists could not be read');
      return 'unproven';
    }
  }

  function sendBulk(attempt: Attempt): Promise<Requested<BulkResult>> {
    const messages = attempt.chunk.messages.map(({ phone, text }) => ({ phone, message: text }));
    return request(attempt, (when) => sms.sendBulk(attempt.key, messages, when));
  }

  /** One message by POST /messages/send: what the service answers is about nobody else. */
  async function sendSingle(attempt: Attempt): Promise<Requested<BulkResult>> {
    const { phone = '', text = '' } = attempt.chunk.messages[0] ?? {};
    const outcome = await request(attempt, (when) => sms.send(attempt.key, { phone, message: text }, when));
    if (outcome.outcome !== 'accepted') return outcome;
    const { message_id, status, credits_used, credits_remaining } = outcome.data;
    const messages = [{ message_id, phone, status }];
    return { outcome: 'accepted', data: { messages_sent: 1, credits_used, credits_remaining, messages } };
  }

  /** The one gate of all requests: none leaves before the store has said who must get no texts. */
  async function request<Data>(
    attempt: Attempt,
    make: (when: { startBy: number; deadline: number }) => Promise<Outcome<Data>>,
  ): Promise<Requested<Data>> {
    const barred = await barredBy(attempt);
    if (barred) return barred;
    const { issued } = attempt;
    const spent = Math.max(clock.steady() - issued.steady, clock.wall() - issued.wall);
    if (spent > fuseMs) return { outcome: 'not_started', cause: 'too_late' };
    try {
      return await make({ startBy: issued.steady + fuseMs, deadline: issued.steady + limits.timeoutMs });
    } catch (error) {
      if (error instanceof SmsInputError) {
        return { outcome: 'forbidden', code: error.code };
      }
      throw error;
    }
  }

  /** Undefined where every number of the chunk may be texted. */
  async function barredBy({ send, chunk }: Attempt): Promise<OptedOut | OptOutsUnread | undefined> {
    try {
      const { kept, optedOut } = await optOuts.leaveOut(send.team, chunk.messages);
      return optedOut.length === 0 ? undefined : { outcome: 'opted_out', kept, optedOut };
    } catch (error) {
      log.error({ err: error, send: send.id }, 'the opt-outs could not be read before a request');
      return { outcome: 'opt_outs_unread' };
    }
  }

  function logSettled(
    { send, chunk }: Attempt,
    outcome: Requested<unknown> | Stale | HeldBack,
    settlement: Settlement,
    ms: number,
  ): void {
    log.info(
      {
        send: send.id,
        chunk: chunk.index,
        size: chunk.messages.length,
        attempt: chunk.attempt,
        outcome: outcome.outcome,
        cause: 'cause' in outcome ? outcome.cause : undefined,
        detail: 'detail' in outcome ? outcome.detail : undefined,
        status: 'status' in outcome ? outcome.status : undefined,
        becomes: settlement.to,
        ms: Math.round(ms),
      },
      'request settled',
    );
  }

  return { carryOut, isBlocked: answers.areRefused };
}

/** Whether the chunk can go as a single message ("Limits": 1000 characters; for bulk they are configured). */
function isSendable({ messages }: ChunkRecord): boolean {
  const [message] = messages;
  return messages.length === 1 && [...(message?.text ?? '')].length <= MAX_MESSAGE_CHARACTERS;
}

/** The chunk goes back: until the service was asked for the balance, or until a person resumes the job. */
function heldBack({ needed, available, sure, asOf }: Shortfall): Settlement {
  const reason: PauseReason = {
    why: 'credits',
    required: needed,
    available,
    ...(asOf === undefined ? {} : { asOf }),
  };
  const back = { to: 'pending', request: 'never_started', waitMs: 0 } as const;
  return sure ? { ...back, pause: writePauseReason(reason) } : back;
}

/** Whether nothing of the chunk waits any more. */
function hasOutcome({ state }: ChunkRecord): boolean {
  return state !== 'pending' && state !== 'sending' && state !== 'split';
}
