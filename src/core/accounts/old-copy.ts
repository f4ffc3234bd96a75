import type { Clock } from '../clock.ts';
import type { Books } from './books.ts';
import type { Credit } from './credit.ts';
import type { Instance } from './instances.ts';

/**
 * Whether what was written then (ms by the store's clock) is from no old copy of the data, in which it still waits while
 * it was sent since. Compares the account's books with its balance where this bot has not done so: what waits in an old
 * copy has expired by the time that this resolves. False where nobody can tell now. A look may take long: it calls
 * `onWait` before.
 */
export type IsCurrent = (
  instance: Instance,
  writtenAt: number,
  onWait?: () => Promise<void>,
) => Promise<boolean>;

/**
 * How long a person waits until the books can be compared, beyond a lease; how often it looks. In ms. After a reconnect of
 * the store they can be compared a lease later, and what was pressed goes on then: nobody has to press again.
 */
const COMPARE_BEYOND_LEASE_MS = 4000;
const COMPARE_EVERY_MS = 250;

/** The look that comes before anything from before the start, or from before a reconnect of the store, is sent. */
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
    if (isDoubtful()) await onWait?.();
    const until = clock.steady() + leaseMs + COMPARE_BEYOND_LEASE_MS;
    while (isDoubtful() && !(await books.canCompare(accountId))) {
      if (clock.steady() >= until) return false;
      await clock.sleep(COMPARE_EVERY_MS);
    }
    if (isDoubtful()) await credit.read(instance, 'interactive');
    return !isDoubtful();
  };
}
