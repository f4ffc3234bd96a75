import type { Ledger } from '../ledger/ledger.ts';
import type { Records } from '../records/records.ts';

/** How many accounts are read at once. Thousands, one after the other, would take longer than Prometheus waits. */
const AT_ONCE = 32;

export interface Sources {
  ledger: Ledger;
  records: Records;
}

/**
 * Reads the figures from the store. So they are right after a restart, and the same in every process that shares it.
 * Lags are in seconds, and zero if nothing waits.
 */
export async function readStore({ ledger, records }: Sources) {
  const accounts = new Map(
    (await records.instances.list()).map(({ accountId, userId }) => [accountId, userId]),
  );
  const balances: { userId: number; credits: number }[] = [];
  // One iterator for all of them: each takes the next account that is left.
  const left = accounts.entries();
  const readNext = async () => {
    for (const [accountId, userId] of left) {
      const account = await ledger.account(accountId);
      if (account) balances.push({ userId, credits: account.credits });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readNext));
  const { waiting, jobSince, outboxSince } = await ledger.backlog();
  const ageOf = (since: number | undefined) =>
    since === undefined ? 0 : Math.max(0, ledger.now() - since) / 1000;
  const unknown = await ledger.countUndecided();
  return { balances, unknown, waiting, jobLag: ageOf(jobSince), outboxLag: ageOf(outboxSince) };
}
