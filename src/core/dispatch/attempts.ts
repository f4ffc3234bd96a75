import type { Logger } from 'pino';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ChunkRecord } from '../../ledger/model/chunk-record.ts';
import type { LedgerLimits } from '../../ledger/model/ledger-limits.ts';
import type { SendRecord } from '../../ledger/model/send-record.ts';
import type { SmsClient } from '../../sms/client.ts';
import type { Instance } from '../accounts/instances.ts';
import type { RefusalMode, Refusals } from '../accounts/list-refusals.ts';
import type { Clock } from '../clock.ts';
import type { OptOuts } from '../opt-outs/opt-outs.ts';
import type { WordsOf } from '../sends/same-words.ts';
import { createAnswerKeeper } from './answer-keeper.ts';
import type { Attempt, Ended } from './attempt.ts';
import type { Funds } from './funds.ts';
import { createRequestGate } from './request-gate.ts';
import { settlementOf } from './settlement.ts';

/** What an attempt's queue must know: its chunk is `over`, it `goes_on`, or the service is `unreachable`. */
export type AttemptResult = 'over' | 'goes_on' | 'unreachable';

/** An answer in the ledger. `isLate`: it came after its deadline. `isReached`: a request, if we made one, got there. */
export interface Settled extends Ended {
  send: SendRecord;
  chunk: ChunkRecord;
  isLate: boolean;
  isReached: boolean | undefined;
}

export type Attempts = ReturnType<typeof createAttempts>;

export interface AttemptDeps {
  ledger: Ledger;
  sms: Pick<SmsClient, 'send' | 'sendBulk'>;
  refusals: Pick<Refusals, 'of'>;
  funds: Pick<Funds, 'shortfall'>;
  optOuts: Pick<OptOuts, 'leaveOut'>;
  wordsOf: WordsOf;
  /** When somebody confirmed a text at this bot, by the send's id: wall ms. Another bot's wall clock may differ. */
  confirmedHere: { get(send: string): number | undefined };
  limits: LedgerLimits;
  clock: Clock;
  log: Logger;
  /** Called once an answer is in the ledger. If the process dies first, polls do the same later. */
  onSettled(instance: Instance, settled: Settled): Promise<void>;
}

/** Makes the request of an attempt, and settles it with what its answer means. */
export function createAttempts(deps: AttemptDeps) {
  const { ledger, refusals, clock, log } = deps;
  const request = createRequestGate(deps);
  const answers = createAnswerKeeper(deps);

  async function carryOut(attempt: Attempt): Promise<AttemptResult> {
    const started = clock.steady();
    const ended = await requestFor(attempt);
    logSettled(attempt, ended, clock.steady() - started);
    const isReached = hasReached(ended);
    const settled = await answers.keep(attempt, ended.settlement);
    if (settled) {
      const { deadline = Number.POSITIVE_INFINITY } = attempt.chunk;
      const isLate = (settled.chunk.settledAt ?? 0) > deadline;
      await deps.onSettled(attempt.instance, { ...settled, ...ended, isLate, isReached });
    }
    if (isReached === false) return 'unreachable';
    return settled && hasOutcome(settled.chunk) ? 'over' : 'goes_on';
  }

  async function requestFor(attempt: Attempt): Promise<Ended> {
    const outcome = await request(attempt);
    if ('settlement' in outcome) return outcome;
    const isRefusedList = outcome.outcome === 'refused' && attempt.chunk.messages.length > 1;
    const refusalMode = isRefusedList ? await modeOf(attempt) : 'unproven';
    return { outcome, settlement: settlementOf(outcome, attempt, { refusalMode, now: ledger.now() }) };
  }

  /** If the store fails now, the answer must still count: `unproven` is always safe. */
  async function modeOf({ instance, send }: Attempt): Promise<RefusalMode> {
    try {
      return (await refusals.of(instance)).mode;
    } catch (error) {
      log.error({ err: error, send: send.id }, 'the bot could not read how this provider refuses lists');
      return 'unproven';
    }
  }

  function logSettled({ send, chunk }: Attempt, { outcome, settlement }: Ended, ms: number): void {
    const { index, messages, attempt } = chunk;
    const of = { send: send.id, chunk: index, size: messages.length, attempt };
    // Only these: the service's words may repeat the number or the text.
    const { outcome: name, cause, detail, status }: LoggedOutcome = outcome;
    const said = { outcome: name, cause, detail, status };
    log.info({ ...of, ...said, becomes: settlement.to, ms: Math.round(ms) }, 'request settled');
  }

  return {
    carryOut,
    /** The store may have forgotten its last writes: goes through the last answers again. */
    writeAgain: answers.writeAgain,
    /** Whether the ledger refuses to record an answer: nothing new may start meanwhile. */
    isBlocked: answers.areRefused,
  };
}

/** The part of an outcome that a log may hold. */
type LoggedOutcome = { outcome: string; cause?: string; detail?: string; status?: number };

/** Whether a request got to the service; undefined if we made none. */
function hasReached({ outcome, settlement }: Ended): boolean | undefined {
  if (outcome.outcome === 'not_started' && outcome.cause !== 'too_late') return false;
  return settlement.request === 'never_started' ? undefined : true;
}

/** Whether nothing of the chunk waits any more. */
function hasOutcome({ state }: ChunkRecord): boolean {
  return state !== 'pending' && state !== 'sending' && state !== 'split';
}
