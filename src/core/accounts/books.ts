import type { AccountRecord, BalanceMarker } from '../../ledger/accounts/account-types.ts';
import type { Clock } from '../clock.ts';
import {
  type DoubtDeps,
  doubtAllWork,
  doubtForgotten,
  doubtOlderWork,
  endWarnings,
} from './doubtful-work.ts';
import type { Instance } from './instances.ts';
import type { Refusals } from './list-refusals.ts';
import { isOpenJob } from './open-jobs.ts';

export type Books = ReturnType<typeof createBooks>;

/**
 * Compares each account's balance with its books: the last baseline, less later receipts and unknown messages. If the
 * balance is lower, somebody else spends, or these books are an old copy. With an old copy, jobs would text people again.
 */
export function createBooks(
  deps: DoubtDeps & {
    refusals: Pick<Refusals, 'isWatched' | 'fallBack'>;
    /** The most credits that these texts may have cost. */
    mostCredits(account: string, texts: string[]): Promise<number>;
    /** How long after its intent a request ends at the latest, in ms. */
    leaseMs: number;
    /** How long ago a bot first found the store's present server, in ms. The server may not know of older requests. */
    sameServerForMs: number;
    clock: Pick<Clock, 'steady'>;
  },
) {
  const { ledger, refusals, clock } = deps;
  /** Accounts whose books were compared since the start or the last `doubtAll`. */
  const compared = new Set<string>();
  /** Those of them that had no `doubt` since. */
  const trusted = new Set<string>();
  /** Counts doubts: a read that began before a doubt proves nothing after it. */
  let doubts = 0;
  /** ms, the store's clock. */
  const startedAt = ledger.now();
  /** The last `doubtAll`, or the start (ms, the store's clock). No old copy has what was written later. */
  let doubtedAt = startedAt;
  /** Before this moment (steady ms) no comparison counts. */
  let comparesFrom = clock.steady() + deps.leaseMs - Math.max(0, deps.sameServerForMs);
  /** By account and instance: when a bot last worked on its jobs, as seen since the last doubt. */
  const lastServed = new Map<string, Map<string, number>>();

  const mayCompare = () => clock.steady() >= comparesFrom;

  function trust(account: string): void {
    compared.add(account);
    trusted.add(account);
  }

  async function missingFrom(account: AccountRecord, credits: number): Promise<number> {
    const gone = (account.booked ?? credits) - credits;
    if (gone <= 0) return 0;
    const found = await ledger.evidenceCase(account.id);
    // Texts without a token are only presumed to be taken: the store may have forgotten a list's request instead.
    const taken = found?.unknowns.filter(({ token }) => token !== undefined) ?? [];
    const texts = taken.flatMap(({ messages }) => messages.map(({ text }) => text));
    return gone - (await deps.mostCredits(account.id, texts));
  }

  async function look(accountId: string, marker: BalanceMarker, credits: number): Promise<void> {
    // While a request is in flight, the balance may have its charge and the books may not.
    if (!marker.nothingSending || !mayCompare()) return;
    const begun = doubts;
    const firstAsOf = compared.has(accountId) ? undefined : doubtedAt;
    const account = await ledger.account(accountId);
    if (account && account.activity !== marker.activity) return;
    // Another read was recorded meanwhile. This one may be older, and lack a top-up.
    if (account?.baselineAt !== marker.baselineAt) return;
    await doubtForgotten(deps, accountId, { account, credits });
    const missing = account ? await missingFrom(account, credits) : 0;
    if (marker.hasLostBooks) {
      if (!trusted.has(accountId)) await doubtAllWork(deps, accountId, { missing: 'unknown', firstAsOf });
    } else if (missing > 0) {
      await refusals.fallBack(accountId, missing);
      if (!trusted.has(accountId)) await doubtAllWork(deps, accountId, { missing, firstAsOf });
    } else {
      if (account?.booked === undefined && firstAsOf !== undefined)
        await doubtOlderWork(deps, { account: accountId, writtenBy: firstAsOf });
      await endWarnings(deps, accountId);
    }
    // The account counts as checked in any case: if something is wrong, its jobs are paused, and a Resume calls `doubt`.
    if (begun === doubts) trust(accountId);
  }

  return {
    /** Whether jobs of this account may send: its books were compared since the start, a reconnect or a Resume. */
    isChecked: (account: string) => trusted.has(account),
    /** Whether its books were compared since the start or a reconnect. A later Resume does not matter. */
    wasChecked: (account: string) => compared.has(account),
    /** Whether an old copy may hold what was written then (the store's clock): nothing proves the contrary. */
    mayBeOld: (account: string, writtenAt: number) => !compared.has(account) && writtenAt <= doubtedAt,
    /** This bot's start (ms, the store's clock), until it has compared the account. */
    uncomparedStart: (account: string) => (compared.has(account) ? undefined : startedAt),
    /** Whether a balance that is read now could be compared: no request can change it, and the wait after a reconnect is over. */
    canCompare: async (account: string) =>
      mayCompare() && (await ledger.markBalanceRead(account)).nothingSending,

    /**
     * Takes a balance that was just read, before it is recorded and so moves the books. If credits are missing from an
     * account that is not checked, its jobs pause. At the first check since the start or a reconnect, its older texts are
     * cancelled, and its drafts and requests expire, too. With a shared key, jobs only warn, and nothing else happens.
     * False if the balance could not be compared yet: then it must not move the books. `marker` was taken before the read.
     */
    async compare({ accountId }: Instance, marker: BalanceMarker, credits: number): Promise<boolean> {
      if (!trusted.has(accountId) || refusals.isWatched(accountId)) await look(accountId, marker, credits);
      return trusted.has(accountId);
    },

    /** Check the account again before its next job request. */
    doubt(account: string): void {
      doubts += 1;
      trusted.delete(account);
      lastServed.delete(account);
    },

    /** The store may have other data now. Check all accounts again, once all requests of all bots have ended. */
    doubtAll(): void {
      doubts += 1;
      // The clock of another server may be behind.
      doubtedAt = Math.max(doubtedAt, ledger.now());
      compared.clear();
      trusted.clear();
      lastServed.clear();
      comparesFrom = clock.steady() + deps.leaseMs;
    },

    /** Accepts the check of another bot, if that has worked on a job of this instance since the last call. */
    async noteOthers({ id, accountId }: Instance): Promise<void> {
      const open = await ledger.openSends(id);
      const last = Math.max(0, ...open.filter(isOpenJob).map(({ servedAt = 0 }) => servedAt));
      const seen = lastServed.get(accountId) ?? new Map<string, number>();
      const before = seen.get(id);
      lastServed.set(accountId, seen.set(id, last));
      // After a Resume, this bot has compared before. Then the work of another bot proves no new comparison.
      if (before !== undefined && last > before && !compared.has(accountId)) trust(accountId);
    },
  };
}
