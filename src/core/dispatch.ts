import { randomUUID } from 'node:crypto';
import Bottleneck from 'bottleneck';
import type { Logger } from 'pino';
import type { ApiKey } from '../sms/api-key.ts';
import type { SmsClient } from '../sms/client.ts';
import { SmsInputError } from '../sms/errors.ts';
import type { Outcome } from '../sms/outcome.ts';
import type { SendResult } from '../sms/schema.ts';
import type { ChunkRecord, Ledger, LedgerLimits, SendRecord, Settlement } from '../store/ledger.ts';
import { LONGEST_WAIT_MS, STALE_AFTER_MS } from '../store/transitions.ts';
import { type Clock, jittered } from './clock.ts';
import type { Instance, Instances } from './instances.ts';
import { SendDetails } from './results.ts';
import { type Forbidden, type Stale, settleSingle } from './settlement.ts';

/** Carries decided sends out: takes what the ledger hands over, makes the request, settles with its answer. */
export interface Dispatch {
  /** Something of this instance may be ready. Cheap, and harmless when nothing is. */
  wake(team: string, instance: string): void;
  /** Takes nothing new, and resolves when everything in flight is settled. */
  drain(): Promise<void>;
}

/** Requests in flight at most, per key, for people's single sends. */
const INTERACTIVE_IN_FLIGHT = 4;
/** The request leaves within this many ms of its intent, or not under that intent. */
const LONGEST_FUSE_MS = 1000;
const SETTLE_RETRY_MS = 250;
const STORE_RETRY_MS = 1000;

/** How long after its intent a request may start: half of what the lease leaves over the request's own deadline. */
export function fuseOf({ leaseMs, timeoutMs }: LedgerLimits): number {
  return Math.min(LONGEST_FUSE_MS, (leaseMs - timeoutMs) / 2);
}

/** Whether the decision is so old by the wall clock that nobody expects the text any more: the machine slept. */
function isStale(send: SendRecord, wall: number): boolean {
  const confirmedAt = SendDetails.safeParse(send.details).data?.confirmedAt;
  return confirmedAt !== undefined && wall - confirmedAt > LONGEST_WAIT_MS + STALE_AFTER_MS;
}

export function createDispatch(deps: {
  ledger: Ledger;
  sms: SmsClient;
  instances: Instances;
  limits: LedgerLimits;
  clock: Clock;
  log: Logger;
  /** Told when nothing can be taken before `until` (the store's clock). */
  onWaiting(instance: Instance, until: number): Promise<void>;
  /** Told once an answer is in the ledger; what it does is repeated by polls if the process dies before. */
  onSettled(instance: Instance, send: SendRecord, chunk: ChunkRecord, settlement: Settlement): Promise<void>;
}): Dispatch {
  const { ledger, sms, instances, limits, clock, log } = deps;
  const fuseMs = fuseOf(limits);
  const lanes = new Map<string, Bottleneck>();
  const timers = new Map<string, NodeJS.Timeout>();
  const running = new Set<Promise<void>>();
  let draining = false;
  /** Settlements that the store has refused so far: nothing new is started while there is one. */
  let unsettled = 0;

  function laneOf(id: string): Bottleneck {
    let lane = lanes.get(id);
    if (!lane) {
      lane = new Bottleneck({ maxConcurrent: INTERACTIVE_IN_FLIGHT });
      lanes.set(id, lane);
    }
    return lane;
  }

  function wake(team: string, instance: string): void {
    const id = `${team}/${instance}`;
    const lane = laneOf(id);
    // The lane queues "take the next", never a chunk: one waiting ticket looks at all there is.
    if (draining || lane.queued() > 0) return;
    const ticket = lane
      .schedule(() => takeNext(team, instance))
      .catch((error: unknown) => {
        log.error({ err: error, instance }, 'the ledger could not be asked for work; trying again');
        wakeIn(team, instance, STORE_RETRY_MS);
      });
    running.add(ticket);
    void ticket.finally(() => running.delete(ticket));
  }

  function wakeIn(team: string, instance: string, waitMs: number): void {
    const id = `${team}/${instance}`;
    clearTimeout(timers.get(id));
    const timer = setTimeout(() => {
      timers.delete(id);
      wake(team, instance);
    }, waitMs);
    timer.unref();
    timers.set(id, timer);
  }

  async function takeNext(team: string, id: string): Promise<void> {
    if (draining || unsettled > 0) return;
    const instance = await instances.get(team, id);
    if (!instance) return log.error({ instance: id }, 'a send waits for an instance that is gone');
    const key = instances.keyOf(instance);
    // Both clocks: the steady one stands still while the machine sleeps, the wall clock may be set back.
    const issued = { steady: clock.steady(), wall: clock.wall() };
    const token = randomUUID();
    const taken = await ledger.take({
      instance: id,
      lane: instance.keyFingerprint,
      account: instance.accountId,
      audience: 'interactive',
      token,
    });
    if (taken.kind === 'idle') return;
    if (taken.kind === 'wait') {
      wakeIn(team, id, Math.max(1, taken.until - ledger.now()));
      return deps.onWaiting(instance, taken.until);
    }
    wake(team, id);
    await carryOut(instance, key, taken, token, issued);
    wake(team, id);
  }

  async function carryOut(
    instance: Instance,
    key: ApiKey,
    { send, chunk }: { send: SendRecord; chunk: ChunkRecord },
    token: string,
    issued: { steady: number; wall: number },
  ): Promise<void> {
    const spent = Math.max(clock.steady() - issued.steady, clock.wall() - issued.wall);
    const started = clock.steady();
    const outcome: Outcome<SendResult> | Forbidden | Stale = isStale(send, clock.wall())
      ? { outcome: 'stale' }
      : spent > fuseMs
        ? { outcome: 'not_started', cause: 'too_late' }
        : await request(key, chunk, issued.steady);
    const settlement = settleSingle(outcome, { send, chunk, now: ledger.now(), windowMs: limits.windowMs });
    log.info(
      {
        send: send.id,
        chunk: chunk.index,
        attempt: chunk.attempt,
        outcome: outcome.outcome,
        cause: 'cause' in outcome ? outcome.cause : undefined,
        status: 'status' in outcome ? outcome.status : undefined,
        becomes: settlement.to,
        ms: Math.round(clock.steady() - started),
      },
      'request settled',
    );
    const settled = await settle({ send, chunk }, token, settlement);
    if (settled) await deps.onSettled(instance, settled.send, settled.chunk, settlement);
  }

  async function request(
    key: ApiKey,
    chunk: ChunkRecord,
    issued: number,
  ): Promise<Outcome<SendResult> | Forbidden> {
    const [message] = chunk.messages;
    if (!message) throw new Error(`chunk ${chunk.send}/${chunk.index} holds no message`);
    try {
      return await sms.send(
        key,
        { phone: message.phone, message: message.text },
        { startBy: issued + fuseMs, deadline: issued + limits.timeoutMs },
      );
    } catch (error) {
      if (error instanceof SmsInputError) {
        return { outcome: 'forbidden', code: error.code, message: error.message };
      }
      throw error;
    }
  }

  /** An answer is never dropped: a settlement that the store refuses is kept and tried again. */
  async function settle(
    { send, chunk }: { send: SendRecord; chunk: ChunkRecord },
    token: string,
    settlement: Settlement,
  ): Promise<{ send: SendRecord; chunk: ChunkRecord } | undefined> {
    let refused = false;
    try {
      for (;;) {
        try {
          const settled = await ledger.settle({ send: send.id, index: chunk.index }, token, settlement);
          if (!settled.settled)
            log.warn({ send: send.id }, 'an answer came for an attempt that is no longer open');
          return settled.settled ? settled : undefined;
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

  return {
    wake,
    async drain() {
      draining = true;
      for (const timer of timers.values()) clearTimeout(timer);
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}
