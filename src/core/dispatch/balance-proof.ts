import type { Logger } from 'pino';
import type { AccountRecord, Ledger } from '../../store/ledger.ts';
import type { Credit } from '../accounts/credit.ts';
import type { Instance } from '../accounts/instances.ts';
import type { Clock } from '../clock.ts';
import type { PriceBook } from '../sends/prices.ts';

/**
 * Proves from an account's balance that requests which the service refused were not charged: it equals what the last
 * anchor and all receipts since leave. Charges are never negative, so the sum proves each of them.
 */
export interface BalanceProof {
  /**
   * Notes a request of the account on its way; call what it returns once the ledger has its outcome, or it waits for
   * proof.
   */
  begin(account: string): () => void;
  /**
   * Whether nothing was charged that the receipts don't tell of. Waits until what is noted has ended, then reads the
   * balance; one read serves all who waited for it. False when the figures differ, when they can't be had within
   * `withinMs`, and when texts like these take no credits. Never rejects.
   */
  ask(instance: Instance, texts: string[], withinMs: number): Promise<boolean>;
  /** Whether somebody waits for proof: nothing new of the account should be started that can wait. */
  isAsked(account: string): boolean;
}

/**
 * Somebody's request was in flight during the read, or there was none to be had: again after so many ms, then twice
 * that.
 */
const FIRST_RETRY_MS = 300;

/** One account's requests, and who waits for proof of them. */
interface Traffic {
  onTheirWay: number;
  askers: number;
  /** Resolves the promise that waits for all requests to have ended. */
  whenEnded?: () => void;
  /** A look that has not begun to read yet, so that it also serves who asks now. */
  next?: Promise<boolean>;
}

export function createBalanceProof(deps: {
  ledger: Ledger;
  credit: Credit;
  prices: Pick<PriceBook, 'mayBeFree'>;
  clock: Clock;
  log: Logger;
}): BalanceProof {
  const { ledger, credit, prices, clock, log } = deps;
  const traffic = new Map<string, Traffic>();

  function trafficOf(account: string): Traffic {
    const own = traffic.get(account) ?? { onTheirWay: 0, askers: 0 };
    traffic.set(account, own);
    return own;
  }

  async function allEnded(own: Traffic): Promise<void> {
    if (own.onTheirWay === 0) return;
    await new Promise<void>((resolve) => {
      own.whenEnded = resolve;
    });
  }

  async function look(own: Traffic, instance: Instance, until: number): Promise<boolean> {
    await allEnded(own);
    delete own.next;
    const { accountId } = instance;
    for (let tries = 0; ; tries += 1) {
      // The receipts first: one that comes during the read makes the figures differ, never agree by chance.
      const before = await ledger.account(accountId);
      const { activity } = await ledger.markBalanceRead(accountId);
      // Only the first one takes of the permits that are kept for people.
      const read = await credit.readAnew(instance, tries === 0 ? 'interactive' : 'background');
      const expected = expectedOf(before);
      const agrees = read.kind === 'ok' && expected !== undefined && read.credits === expected;
      const retryMs = FIRST_RETRY_MS * 2 ** tries;
      if (agrees || expected === undefined || clock.steady() + retryMs >= until) {
        log.info({ instance: instance.id, agrees, read: read.kind }, 'the balance was asked for proof');
        return agrees;
      }
      const moved = (await ledger.markBalanceRead(accountId)).activity !== activity;
      if (read.kind === 'ok' && !moved && own.onTheirWay === 0) return false;
      await clock.sleep(retryMs);
    }
  }

  return {
    begin(account) {
      const own = trafficOf(account);
      own.onTheirWay += 1;
      let ended = false;
      return () => {
        if (ended) return;
        ended = true;
        own.onTheirWay -= 1;
        if (own.onTheirWay === 0) own.whenEnded?.();
      };
    },
    async ask(instance, texts, withinMs) {
      const { accountId } = instance;
      const own = trafficOf(accountId);
      const until = clock.steady() + withinMs;
      own.askers += 1;
      const over = new AbortController();
      try {
        if (await prices.mayBeFree(accountId, texts)) return false;
        own.next ??= look(own, instance, until);
        const given = clock.sleep(Math.max(0, withinMs), over.signal).then(() => false);
        return await Promise.race([own.next, given]);
      } catch (error) {
        // The answer that waits for proof must not be lost with it.
        log.error({ err: error, instance: instance.id }, 'the balance could not be asked for proof');
        return false;
      } finally {
        over.abort();
        own.askers -= 1;
      }
    },
    isAsked: (account) => (traffic.get(account)?.askers ?? 0) > 0,
  };
}

/**
 * What anchor and receipts leave. Nothing where the latest receipts left more than that: somebody has topped up since
 * the anchor, and what was added could hide a charge.
 */
function expectedOf(account: AccountRecord | undefined): number | undefined {
  if (!account?.anchor) return undefined;
  const left = account.anchor.credits - account.anchor.receiptsSince;
  return account.credits > left ? undefined : left;
}
