import type { Ledger } from '../store/ledger.ts';
import type { Records } from '../store/records.ts';
import type { Readings } from './metrics.ts';

/** Reads from the store what is true now: after a restart too, and of every process that shares it. */
export async function readStore({
  ledger,
  records,
}: {
  ledger: Ledger;
  records: Records;
}): Promise<Readings> {
  const accounts = new Map(
    (await records.instances.list()).map(({ accountId, userId }) => [accountId, userId]),
  );
  const balances: Readings['balances'] = [];
  for (const [accountId, userId] of accounts) {
    const account = await ledger.account(accountId);
    if (account) balances.push({ userId, credits: account.credits });
  }
  const { waiting, jobSince, outboxSince } = await ledger.backlog();
  const ageOf = (since: number | undefined) =>
    since === undefined ? 0 : Math.max(0, ledger.now() - since) / 1000;
  return { balances, waiting, jobLag: ageOf(jobSince), outboxLag: ageOf(outboxSince) };
}
