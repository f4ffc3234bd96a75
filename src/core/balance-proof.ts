import type { Logger } from 'pino';
import type { Ledger } from '../store/ledger.ts';
import type { Clock } from './clock.ts';
import type { Credit } from './credit.ts';
import type { Instance } from './instances.ts';

/**
 * Proves from an account's balance that requests which the service refused were not charged: it equals what the last
 * anchor and all receipts since leave. Charges are never negative, so the sum proves each of them.
 */
export interface BalanceProof {
  /** Notes a request of the account on its way; call what it returns once the ledger has its outcome, or it waits for proof. */
  begin(account: string): () => void;
  /**
   * Whether nothing was charged that the receipts don't tell of. Waits until what is noted has ended, then reads the
   * balance; one read serves all who waited for it. False when the figures differ, and when they can't be had within
   * `withinMs`.
   */
  ask(instance: Instance, withinMs: number): Promise<boolean>;
  /** Whether somebody waits for proof: nothing new of the account should be started that can wait. */
  isAsked(account: string): boolean;
}

/** Somebody else's request was in flight during the read: it is read again after so many ms. */
const RETRY_MS = 300;

interface Lane {
  onTheirWay: number;
  askers: number;
  /** Resolves the promise that waits for the lane to be empty. */
  whenEmpty?: () => void;
  /** A look that has not begun to read yet, so that it also serves who asks now. */
  next?: Promise<boolean>;
}

export function createBalanceProof(deps: {
  ledger: Ledger;
  credit: Credit;
  clock: Clock;
  log: Logger;
}): BalanceProof {
  const { ledger, credit, clock, log } = deps;
  const lanes = new Map<string, Lane>();

  function laneOf(account: string): Lane {
    const lane = lanes.get(account) ?? { onTheirWay: 0, askers: 0 };
    lanes.set(account, lane);
    return lane;
  }

  async function empty(lane: Lane): Promise<void> {
    if (lane.onTheirWay === 0) return;
    await new Promise<void>((resolve) => {
      lane.whenEmpty = resolve;
    });
  }

  async function look(lane: Lane, instance: Instance, until: number): Promise<boolean> {
    await empty(lane);
    delete lane.next;
    const { accountId } = instance;
    for (;;) {
      // The receipts first: one that comes during the read makes the figures differ, never agree by chance.
      const before = await ledger.account(accountId);
      const { activity } = await ledger.markBalanceRead(accountId);
      const read = await credit.readAnew(instance, 'interactive');
      const expected = before?.anchor && before.anchor.credits - before.anchor.receiptsSince;
      const agrees = read.kind === 'ok' && expected !== undefined && read.credits === expected;
      if (agrees || expected === undefined || clock.steady() + RETRY_MS >= until) {
        log.info({ instance: instance.id, agrees, read: read.kind }, 'the balance was asked for proof');
        return agrees;
      }
      const moved = (await ledger.markBalanceRead(accountId)).activity !== activity;
      if (read.kind === 'ok' && !moved && lane.onTheirWay === 0) return false;
      await clock.sleep(RETRY_MS);
    }
  }

  return {
    begin(account) {
      const lane = laneOf(account);
      lane.onTheirWay += 1;
      let ended = false;
      return () => {
        if (ended) return;
        ended = true;
        lane.onTheirWay -= 1;
        if (lane.onTheirWay === 0) lane.whenEmpty?.();
      };
    },
    async ask(instance, withinMs) {
      const lane = laneOf(instance.accountId);
      const until = clock.steady() + withinMs;
      lane.askers += 1;
      const over = new AbortController();
      try {
        lane.next ??= look(lane, instance, until);
        const given = clock.sleep(Math.max(0, withinMs), over.signal).then(() => false);
        return await Promise.race([lane.next, given]);
      } finally {
        over.abort();
        lane.askers -= 1;
      }
    },
    isAsked: (account) => (lanes.get(account)?.askers ?? 0) > 0,
  };
}
