import type { Ledger } from '../ledger/ledger.ts';
import type { Records } from '../records/records.ts';

/** Accounts read at a time: some thousand, one after the other, would take longer than Prometheus waits. */
const AT_ONCE = 32;

/** Where the figures come from. */
export interface Sources {
  ledger: Ledger;
  records: Records;
}

/**
 * Reads the figures from the store, so they are right after a restart and the same in every process that shares it. Lags are
 * in seconds, zero where nothing waits.
 */
export async function readStore({ ledger, records }: Sources) {
  const accounts = new Map(
    (await records.instances.list()).map(({ accountId, userId }) => [accountId, userId]),
  );
  const balances: { userId: number; credits: number }[] = [];
  const left = accounts.entries();
  const readOneByOne = async () => {
    for (const [accountId, userId] of left) {
      const account = await ledger.account(accountId);
      if (account) balances.push({ userId, credits: account.credits });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readOneByOne));
  const { waiting, jobSince, outboxSince } = await ledger.backlog();
  const ageOf = (since: number | undefined) =>
    since === undefined ? 0 : Math.max(0, ledger.now() - since) / 1000;
  return { balances, waiting, jobLag: ageOf(jobSince), outboxLag: ageOf(outboxSince) };
}
