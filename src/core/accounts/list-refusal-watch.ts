import type { Ledger } from '../../ledger/ledger.ts';
import { createShortMemory } from '../short-cache.ts';
import type { Instances } from './instances.ts';
import type { Refusals } from './list-refusals.ts';

/** How long after its end a job may cause a late charge, in ms. At least one balance poll happens in this time. */
const WATCH_MS = 600_000;

export type RefusalWatch = ReturnType<typeof createRefusalWatch>;

/** For a while after a job has ended, missing credits make the account's `atomic` instances `unproven`. */
export function createRefusalWatch(deps: {
  ledger: Pick<Ledger, 'now' | 'namedState' | 'changeState'>;
  instances: Pick<Instances, 'ofAccount'>;
  refusals: Pick<Refusals, 'isShared' | 'fallBack'>;
}) {
  const { ledger, instances, refusals } = deps;
  /** Accounts whose jobs this process saw end lately. */
  const watched = createShortMemory<true>(WATCH_MS, ledger.now);

  /** The named state with the end of an account's watch. All bots share it, since any of them may read the balance. */
  const watchName = (account: string) => `watch:${account}`;

  /** If credits are missing after a job, the provider may have sent a part of a list that it refused. */
  async function fallBack(account: string, missing: number): Promise<void> {
    for (const instance of await instances.ofAccount(account)) {
      if (!(await refusals.isShared(instance))) await refusals.fallBack(instance, missing);
    }
  }

  return {
    /** A job of the account has ended. */
    async begin(account: string): Promise<void> {
      watched.set(account, true);
      const until = ledger.now() + WATCH_MS;
      const before = await ledger.namedState(watchName(account));
      const change = { from: before?.state, to: String(until), details: null, isOver: true };
      await ledger.changeState(watchName(account), change);
    },
    /** Whether this process has seen a job of the account end lately. */
    isWatched: (account: string) => watched.get(account) === true,
    fallBack,
    /** A balance read found that these credits went elsewhere. A job may have taken them that ended in another bot. */
    async noteElsewhere(account: string, credits: number): Promise<void> {
      const watch = await ledger.namedState(watchName(account));
      if (watch && Number(watch.state) >= ledger.now()) await fallBack(account, credits);
    },
  };
}
