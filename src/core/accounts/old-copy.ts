import type { LedgerLimits } from '../../ledger/model/ledger-limits.ts';
import type { Clock } from '../clock.ts';
import type { Books } from './books.ts';
import type { Credit } from './credit.ts';
import type { Instance } from './instances.ts';

/** After a reconnect, the comparison waits for a lease. Who waits for it waits this much longer at most, in ms. */
const COMPARE_BEYOND_LEASE_MS = 4000;
const COMPARE_EVERY_MS = 250;
/** How many reads may prove nothing, since a text was sent meanwhile. Each read takes a permit of the key. */
const MOST_READS = 5;

/** How long a person, or an old text, waits for a comparison of the books, in ms. */
export function longestCompareMs({ leaseMs }: Pick<LedgerLimits, 'leaseMs'>): number {
  return leaseMs + COMPARE_BEYOND_LEASE_MS;
}

/**
 * Whether a draft or request of `writtenAt` (ms, the store's clock) is current. In an old copy of the data it may still
 * wait, though the bot has sent it since. So if this bot has not compared the account's balance with the books, it does
 * so now. The comparison may take long: `onWait` runs first. An old copy's draft has expired by the end. False if the
 * bot can't compare now.
 */
export async function isCurrent(
  deps: {
    books: Pick<Books, 'mayBeOld' | 'canCompare'>;
    credit: Pick<Credit, 'read'>;
    limits: Pick<LedgerLimits, 'leaseMs'>;
    clock: Pick<Clock, 'steady' | 'sleep'>;
  },
  instance: Instance,
  writtenAt: number,
  onWait?: () => Promise<void>,
): Promise<boolean> {
  const { books, credit, limits, clock } = deps;
  const { accountId } = instance;
  const isDoubtful = () => books.mayBeOld(accountId, writtenAt);
  if (!isDoubtful()) return true;
  await onWait?.();
  const until = clock.steady() + longestCompareMs(limits);
  let reads = 0;
  for (;;) {
    if (await books.canCompare(accountId)) {
      reads += 1;
      const { kind } = await credit.read(instance, 'interactive');
      // Others may have sent meanwhile: then the next read may tell.
      if (isDoubtful() && kind !== 'ok') return false;
    }
    if (!isDoubtful()) return true;
    if (reads === MOST_READS || clock.steady() >= until) return false;
    await clock.sleep(COMPARE_EVERY_MS);
  }
}

/**
 * Compares the account's books with one read of its balance, if that can tell now. `instance`: what pays now. Resolves to
 * whether it read in vain.
 */
export async function compareOnce(
  { books, credit }: { books: Pick<Books, 'canCompare'>; credit: Pick<Credit, 'read'> },
  instance: Instance | undefined,
  accountId: string,
): Promise<boolean> {
  const canTell = instance?.accountId === accountId && (await books.canCompare(accountId));
  return canTell && (await credit.read(instance, 'interactive')).kind !== 'ok';
}
