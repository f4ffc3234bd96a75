import type { Logger } from 'pino';
import { z } from 'zod';
import type { AccountRecord, BalanceMarker } from '../../ledger/accounts/account-types.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ChunkRecord, SendRecord } from '../../ledger/model/types.ts';
import type { Clock } from '../clock.ts';
import type { Instance, Instances } from './instances.ts';
import type { Refusals } from './refusals.ts';

/**
 * Compares each account's books with its balance: what the last baseline, the receipts since and the unknown messages
 * leave. A balance that is lower says that somebody else spends, or that these books are an old copy: a copy that was
 * put back would text people again.
 */
export interface Books {
  /** Whether jobs of this account may send: its books were compared since the start, a reconnect or a Resume. */
  isChecked(account: string): boolean;
  /** The same, but for a Resume since: the books it goes by are not an old copy that nobody has looked at. */
  wasChecked(account: string): boolean;
  /**
   * Whether what was written then (ms by the store's clock) may be from an old copy: this bot has not compared these
   * books, and wrote them after that at the earliest.
   */
  mayBeOld(account: string, writtenAt: number): boolean;
  /** Whether a figure that is read now could be compared: nothing that could still be charged is on its way. */
  canCompare(account: string): Promise<boolean>;
  /**
   * Takes a figure that was just read, before it is recorded: what is recorded moves the books. Where credits are
   * missing and the account was not checked yet, its jobs pause, or say so where the key is shared with other programs;
   * at the first check since the start or a reconnect its drafts and requests expire, too, but for those of a shared key.
   * False where it could not be compared yet: such a figure must not move the books.
   * @param marker taken before the read
   */
  compare(instance: Instance, marker: BalanceMarker, credits: number): Promise<boolean>;
  /** The account has to be checked again before its next job request. */
  doubt(account: string): void;
  /**
   * The store was out of reach and may have other data now: all accounts have to be checked again, once the requests
   * of all bots have ended whose charges those data may not know.
   */
  doubtAll(): void;
  /** For a while after a job has ended, missing credits make the account's `atomic` instances `unproven`. */
  watch(account: string): void;
  /** Another bot has worked on a job of this instance since the last call: its own check serves this one too. */
  noteOthers(instance: Instance): Promise<void>;
}

/** How long charges that come late are laid to a job that has ended, in ms: a poll of the balance falls within it. */
const WATCH_MS = 600_000;

/** Of a job's details: the credits that were missing. */
const Missing = z.object({ missing: z.number().optional() });

export function createBooks(deps: {
  ledger: Ledger;
  instances: Pick<Instances, 'ofAccount'>;
  refusals: Refusals;
  /** The most that these chunks may have cost, in credits. */
  mostCostOf(account: string, chunks: ChunkRecord[]): Promise<number>;
  /** A request ends within this of its intent, in ms. */
  leaseMs: number;
  clock: Pick<Clock, 'steady'>;
  log: Logger;
  /** Expires what nobody has decided of an instance: it may be sent already. */
  expireDrafts(instance: Instance): Promise<void>;
  /** Pauses a job, where it runs. */
  pause(send: string): Promise<unknown>;
  /** Told of each job whose card has something new to say. */
  onChanged(send: string): Promise<void>;
}): Books {
  const { ledger, instances, refusals, clock, log } = deps;
  const checked = new Set<string>();
  /** Accounts that were checked since the last `doubtAll`. */
  const known = new Set<string>();
  /** Counts doubts: what began before one proves nothing after it. */
  let doubts = 0;
  /** When the last `doubtAll` was, or the start. What was written since is in no old copy. Ms, the store's clock. */
  let doubtedAt = ledger.now();
  /** Steady ms before which no figure counts. */
  let comparesFrom = 0;
  /** Accounts whose jobs ended lately, and until when (ms, the store's clock) they are watched. */
  const watched = new Map<string, number>();
  /** By account and instance: when its jobs were last worked on, as seen since the last doubt. */
  const served = new Map<string, Map<string, number>>();

  async function missingFrom(account: AccountRecord, credits: number): Promise<number> {
    if (!account.baseline) return 0;
    const gone = account.baseline.credits - account.baseline.receiptsSince - credits;
    if (gone <= 0) return 0;
    const found = await ledger.evidenceCase(account.id);
    return found ? gone - (await deps.mostCostOf(account.id, found.unknowns)) : gone;
  }

  async function jobsOf(account: string): Promise<{ instance: Instance; send: SendRecord }[]> {
    const all = await instances.ofAccount(account);
    const found = await Promise.all(
      all.map(async (instance) => {
        const open = await ledger.openSends(instance.id);
        return open.filter(isOpenJob).map((send) => ({ instance, send }));
      }),
    );
    return found.flat();
  }

  function isDue(): boolean {
    return clock.steady() >= comparesFrom;
  }

  function pass(account: string): void {
    checked.add(account);
    known.add(account);
  }

  /** Pauses first: whatever fails after that, nobody is texted again meanwhile. */
  async function alarm(account: string, missing: number): Promise<void> {
    log.warn({ account, missing }, 'credits are missing from the books: its jobs pause');
    for (const { instance, send } of await jobsOf(account)) {
      if (!(await refusals.isShared(instance))) await deps.pause(send.id);
      // A later comparison goes by newer books, so it may miss what an earlier one has found.
      const found = Math.max(missing, Missing.parse(send.details).missing ?? 0);
      await ledger.mergeDetails(send.id, { missing: found });
      await deps.onChanged(send.id);
    }
    // What is missing later was used elsewhere: these books were no old copy when they were first compared.
    if (known.has(account)) return;
    for (const instance of await instances.ofAccount(account)) {
      if (!(await refusals.isShared(instance))) await deps.expireDrafts(instance);
    }
  }

  /** The books agree: jobs of a shared key that went on need not warn any more. Paused ones wait for a person. */
  async function clear(account: string): Promise<void> {
    for (const { send } of await jobsOf(account)) {
      if (send.state !== 'running' || Missing.parse(send.details).missing === undefined) continue;
      if (await ledger.mergeDetails(send.id, { missing: undefined })) await deps.onChanged(send.id);
    }
  }

  /** Credits that are missing after a job may be texts of a list that was said to be refused as a whole. */
  async function fallBack(account: string, missing: number): Promise<void> {
    for (const instance of await instances.ofAccount(account)) {
      if (!(await refusals.isShared(instance))) await refusals.fallBack(instance, missing);
    }
  }

  function isWatched(account: string): boolean {
    const until = watched.get(account) ?? 0;
    if (until < ledger.now()) watched.delete(account);
    return watched.has(account);
  }

  async function look(accountId: string, marker: BalanceMarker, credits: number): Promise<void> {
    // With a request in flight, its charge may be in the figure and not in the books.
    if (!marker.nothingSending || !isDue()) return;
    const begun = doubts;
    const account = await ledger.account(accountId);
    if (account && account.activity !== marker.activity) return;
    const missing = account ? await missingFrom(account, credits) : 0;
    if (missing > 0) {
      await fallBack(accountId, missing);
      if (!checked.has(accountId)) await alarm(accountId, missing);
    } else await clear(accountId);
    if (begun === doubts) pass(accountId);
  }

  return {
    isChecked: (account) => checked.has(account),
    wasChecked: (account) => known.has(account),
    mayBeOld: (account, writtenAt) => !known.has(account) && writtenAt <= doubtedAt,
    canCompare: async (account) => isDue() && (await ledger.markBalanceRead(account)).nothingSending,

    async compare({ accountId }, marker, credits) {
      if (!checked.has(accountId) || isWatched(accountId)) await look(accountId, marker, credits);
      return checked.has(accountId);
    },

    doubt(account) {
      doubts += 1;
      checked.delete(account);
      served.delete(account);
    },

    doubtAll() {
      doubts += 1;
      doubtedAt = ledger.now();
      checked.clear();
      known.clear();
      served.clear();
      comparesFrom = clock.steady() + deps.leaseMs;
    },

    watch: (account) => watched.set(account, ledger.now() + WATCH_MS),

    async noteOthers({ id, accountId }) {
      const open = await ledger.openSends(id);
      const last = Math.max(0, ...open.filter(isOpenJob).map(({ servedAt = 0 }) => servedAt));
      const seen = served.get(accountId) ?? new Map<string, number>();
      const before = seen.get(id);
      served.set(accountId, seen.set(id, last));
      if (before !== undefined && last > before) pass(accountId);
    },
  };
}

function isOpenJob({ kind, state }: SendRecord): boolean {
  return kind === 'job' && (state === 'running' || state === 'paused');
}
