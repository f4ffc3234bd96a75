import type { Logger } from 'pino';
import type { AccountRecord, BalanceMarker, ChunkRecord, Ledger, SendRecord } from '../../store/ledger.ts';
import type { Instance, Instances } from './instances.ts';
import type { Refusals } from './refusals.ts';

/**
 * Compares each account's books with its balance: what the last anchor, the receipts since and the unknown messages
 * leave. A balance that is lower says that somebody else spends, or that these books are an old copy: a copy that was
 * put back would text people again.
 */
export interface Books {
  /** Whether jobs of this account may send: its books were compared since the start, a reconnect or a Resume. */
  isChecked(account: string): boolean;
  /**
   * Takes a figure that was just read, before it is recorded: what is recorded moves the books. Where credits are
   * missing and the account was not checked yet, its jobs pause, or say so where the key is shared with other programs.
   * @param marker taken before the read
   */
  compare(instance: Instance, marker: BalanceMarker, credits: number): Promise<void>;
  /** The account has to be checked again before its next job request; without one, all of them. */
  doubt(account?: string): void;
  /** For a while after a job has ended, missing credits make the account's `atomic` instances `unproven`. */
  watch(account: string): void;
  /** Another bot has worked on a job of this instance since the last call: its own check serves this one too. */
  noteOthers(instance: Instance): Promise<void>;
}

/** How long charges that come late are laid to a job that has ended, in ms: a poll of the balance falls within it. */
const WATCH_MS = 600_000;

export function createBooks(deps: {
  ledger: Ledger;
  instances: Pick<Instances, 'ofAccount'>;
  refusals: Refusals;
  /** The most that these chunks may have cost, in credits. */
  mostCostOf(account: string, chunks: ChunkRecord[]): Promise<number>;
  log: Logger;
  /** Pauses a job, where it runs. */
  pause(send: string): Promise<unknown>;
  /** Told of each job whose card has something new to say. */
  onChanged(send: string): Promise<void>;
}): Books {
  const { ledger, instances, refusals, log } = deps;
  const checked = new Set<string>();
  /** Accounts whose jobs ended lately, and until when (ms, the store's clock) they are watched. */
  const watched = new Map<string, number>();
  /** By instance: when its jobs were last worked on. */
  const served = new Map<string, number>();

  async function missingFrom(account: AccountRecord, credits: number): Promise<number> {
    if (!account.anchor) return 0;
    const gone = account.anchor.credits - account.anchor.receiptsSince - credits;
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

  /** Pauses first: whatever fails after that, nobody is texted again meanwhile. */
  async function alarm(account: string, missing: number): Promise<void> {
    log.warn({ account, missing }, 'credits are missing from the books: its jobs pause');
    for (const { instance, send } of await jobsOf(account)) {
      if (!(await refusals.isShared(instance))) await deps.pause(send.id);
      await ledger.amend(send.id, { missing });
      await deps.onChanged(send.id);
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

  return {
    isChecked: (account) => checked.has(account),

    async compare({ accountId }, marker, credits) {
      if (checked.has(accountId) && !isWatched(accountId)) return;
      const account = await ledger.account(accountId);
      // With a request in flight, its charge may be in the figure and not in the books.
      if (!marker.nothingSending || (account && account.activity !== marker.activity)) return;
      const missing = account ? await missingFrom(account, credits) : 0;
      if (missing > 0) {
        await fallBack(accountId, missing);
        if (!checked.has(accountId)) await alarm(accountId, missing);
      }
      checked.add(accountId);
    },

    doubt(account) {
      // What this process worked on itself is no sign of others.
      served.clear();
      if (account === undefined) checked.clear();
      else checked.delete(account);
    },

    watch: (account) => watched.set(account, ledger.now() + WATCH_MS),

    async noteOthers(instance) {
      const open = await ledger.openSends(instance.id);
      const last = Math.max(0, ...open.filter(isOpenJob).map(({ servedAt = 0 }) => servedAt));
      const before = served.get(instance.id);
      served.set(instance.id, last);
      if (before !== undefined && last > before) checked.add(instance.accountId);
    },
  };
}

function isOpenJob({ kind, state }: SendRecord): boolean {
  return kind === 'job' && (state === 'running' || state === 'paused');
}
