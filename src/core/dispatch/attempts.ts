import type { Logger } from 'pino';
import type { ApiKey } from '../../sms/api-key.ts';
import type { SmsClient } from '../../sms/client.ts';
import { SmsInputError } from '../../sms/errors.ts';
import type { Outcome } from '../../sms/outcome.ts';
import type { ChunkRecord, Ledger, LedgerLimits, SendRecord, Settlement } from '../../store/ledger.ts';
import { isTurnedAway, LONGEST_WAIT_MS, STALE_AFTER_MS } from '../../store/transitions.ts';
import type { Instance } from '../accounts/instances.ts';
import { type Clock, jittered } from '../clock.ts';
import { type ChunkResult, SendDetails } from '../sends/details.ts';
import type { BalanceProof } from './balance-proof.ts';
import { settleBulk } from './settle-bulk.ts';
import { type Forbidden, type Stale, settleSingle } from './settlement.ts';

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

/** How an attempt went, as its queue needs it. */
export type Went = 'answered' | 'unreachable';

/** Makes the request of an attempt, and settles it with what its answer means. */
export interface Attempts {
  carryOut(attempt: Attempt): Promise<Went>;
  /** Whether the ledger refuses to take an answer in: nothing new may be started meanwhile. */
  isBlocked(): boolean;
}

/** The request leaves within this many ms of its intent, or not under that intent. */
const LONGEST_FUSE_MS = 1000;
const SETTLE_RETRY_MS = 250;
/** What is proven must be in the ledger before the attempt's lease ends: so many ms are kept for that. */
const SETTLE_WITHIN_MS = 300;

/** How long after its intent a request may start: half of what the lease leaves over the request's own deadline. */
export function fuseOf({ leaseMs, timeoutMs }: LedgerLimits): number {
  return Math.min(LONGEST_FUSE_MS, (leaseMs - timeoutMs) / 2);
}

/** Whether the decision is so old by the wall clock that nobody expects the text any more: the machine slept. */
function isStale(send: SendRecord, wall: number): boolean {
  const confirmedAt = SendDetails.safeParse(send.details).data?.confirmedAt;
  return confirmedAt !== undefined && wall - confirmedAt > LONGEST_WAIT_MS + STALE_AFTER_MS;
}

export function createAttempts(deps: {
  ledger: Ledger;
  sms: SmsClient;
  proof: BalanceProof;
  limits: LedgerLimits;
  clock: Clock;
  log: Logger;
  /** Told once an answer is in the ledger; what it does is repeated by polls if the process dies before. */
  onSettled(instance: Instance, send: SendRecord, chunk: ChunkRecord, settlement: Settlement): Promise<void>;
}): Attempts {
  const { ledger, sms, proof, limits, clock, log } = deps;
  const fuseMs = fuseOf(limits);
  /** Settlements that the store has refused so far. */
  let unsettled = 0;

  async function carryOut(attempt: Attempt): Promise<Went> {
    const { instance } = attempt;
    const started = clock.steady();
    const ended = proof.begin(instance.accountId);
    try {
      const { outcome, settlement } =
        attempt.send.kind === 'single' ? await single(attempt) : await bulk(attempt, ended);
      logSettled(attempt, outcome, settlement, clock.steady() - started);
      const settled = await settle(attempt, settlement);
      ended();
      if (settled) await deps.onSettled(instance, settled.send, settled.chunk, settlement);
      return wentOf(outcome);
    } finally {
      ended();
    }
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

  async function bulk(attempt: Attempt, ended: () => void) {
    const { chunk, key, instance, retryMs } = attempt;
    const messages = chunk.messages.map(({ phone, text }) => ({ phone, message: text }));
    const outcome = await request(attempt, (when) => sms.sendBulk(key, messages, when));
    const means = settleBulk(outcome, { chunk, retryMs });
    if (means.kind === 'settle') return { outcome, settlement: means.settlement };
    // It waits for proof from here on: it must not be waited for itself.
    ended();
    const withinMs = (chunk.deadline ?? 0) - ledger.now() - SETTLE_WITHIN_MS;
    const texts = chunk.messages.map(({ text }) => text);
    const isProven = await proof.ask(instance, texts, withinMs);
    return { outcome, settlement: isProven ? means.proven : means.disproved };
  }

  async function request<Data>(
    { issued }: Attempt,
    make: (when: { startBy: number; deadline: number }) => Promise<Outcome<Data>>,
  ): Promise<Outcome<Data> | Forbidden> {
    const spent = Math.max(clock.steady() - issued.steady, clock.wall() - issued.wall);
    if (spent > fuseMs) return { outcome: 'not_started', cause: 'too_late' };
    try {
      return await make({ startBy: issued.steady + fuseMs, deadline: issued.steady + limits.timeoutMs });
    } catch (error) {
      if (error instanceof SmsInputError) {
        return { outcome: 'forbidden', code: error.code, message: error.message };
      }
      throw error;
    }
  }

  function logSettled(
    { send, chunk }: Attempt,
    outcome: Outcome<unknown> | Forbidden | Stale,
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

  /** An answer is never dropped: a settlement that the store refuses is kept and tried again. */
  async function settle(
    { send, chunk, token }: Attempt,
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
          await clock.sleep(jittered(SETTLE_RETRY_MS));
        }
      }
    } finally {
      if (refused) unsettled -= 1;
    }
  }

  return { carryOut, isBlocked: () => unsettled > 0 };
}

/** What was said to be unknown meanwhile never goes back to pending; that it was not sent is told all the same. */
function tooLateFor(settlement: Settlement): Settlement[] {
  if (settlement.to !== 'pending') return [];
  const result: ChunkResult = { cause: isTurnedAway(settlement.request) ? 'rate_limited' : 'given_up' };
  return [{ to: 'not_sent', request: settlement.request, result }];
}

function wentOf(outcome: Outcome<unknown> | Forbidden | Stale): Went {
  return outcome.outcome === 'not_started' && outcome.cause !== 'too_late' ? 'unreachable' : 'answered';
}
