import type { Clock } from '../clock.ts';
import type { Books } from './books.ts';
import type { Credit } from './credit.ts';
import type { Instance } from './instances.ts';

/**
 * Whether something written then (ms by the store's clock) is current. In an old copy of the data it may still wait, though
 * it was sent since. If this bot has not compared the account's books with its balance, it does so now. In an old copy,
 * what waits has expired once this resolves. False if nobody can tell now. The comparison may take long, so `onWait` is
 * called before it.
 */
export type IsCurrent = (
  instance: Instance,
  writtenAt: number,
  onWait?: () => Promise<void>,
) => Promise<boolean>;

/** How long a person waits beyond a lease, which a reconnect of the store takes, and how often we look. In ms. */
const COMPARE_BEYOND_LEASE_MS = 4000;
const COMPARE_EVERY_MS = 250;
/** How many looks at the balance may come to nothing since a text left meanwhile. Each takes a request of the key's. */
const MOST_READS = 5;

/** The check before the bot sends anything older than its start or than a reconnect of the store. */
export function createIsCurrent(deps: {
  books: Pick<Books, 'mayBeOld' | 'canCompare'>;
  credit: Pick<Credit, 'read'>;
  leaseMs: number;
  clock: Pick<Clock, 'steady' | 'sleep'>;
}): IsCurrent {
  const { books, credit, leaseMs, clock } = deps;
  return async (instance, writtenAt, onWait) => {
    const { accountId } = instance;
    const isDoubtful = () => books.mayBeOld(accountId, writtenAt);
    if (!isDoubtful()) return true;
    await onWait?.();
    const until = clock.steady() + leaseMs + COMPARE_BEYOND_LEASE_MS;
    for (let reads = 0; reads < MOST_READS; await clock.sleep(COMPARE_EVERY_MS)) {
      if (await books.canCompare(accountId)) {
        reads += 1;
        const { kind } = await credit.read(instance, 'interactive');
        // Others send all the time: the next look may be quiet.
        if (isDoubtful() && kind !== 'ok') return false;
      }
      if (!isDoubtful()) return true;
      if (clock.steady() >= until) return false;
    }
    return false;
  };
}
