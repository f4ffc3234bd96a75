import type { Days } from '../../ledger/accounts/statement-types.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { dayOf } from '../../ledger/model/days.ts';
import type { SendRecord, Tally } from '../../ledger/model/send-record.ts';
import type { Clock } from '../clock.ts';
import { createShortCache } from '../short-cache.ts';
import type { InstanceView } from './instance-view.ts';
import type { Instances } from './instances.ts';
import { openJobsOfAccount } from './open-jobs.ts';
import { hasPace, RUNWAY_DAYS, type Runway, runwayOf, usedByDay } from './runway.ts';
import { type Statement, statementOf } from './statement.ts';

/** How long the figures of complete days are reused, in ms. */
const KEEP_MS = 60_000;

export type Statements = ReturnType<typeof createStatements>;

/** Where an account's credits went, and how long they last. */
export function createStatements(deps: {
  ledger: Ledger;
  instances: Pick<Instances, 'ofAccount'>;
  remainingCredits(job: SendRecord, tally: Tally): number;
  clock: Pick<Clock, 'steady'>;
}) {
  const { ledger } = deps;
  const recent = createShortCache<number[]>(KEEP_MS, deps.clock.steady);

  /** The credits that the account's running jobs will still take. */
  async function reserved(accountId: string): Promise<number> {
    const open = await openJobsOfAccount(deps, accountId);
    const running = open.filter(({ job }) => job.state === 'running');
    const rest = await Promise.all(
      running.map(async ({ job }) => deps.remainingCredits(job, await ledger.tally(job.id))),
    );
    return rest.reduce((sum, one) => sum + one, 0);
  }

  /** The credits that each complete day used. They hardly change, and everybody who looks at a balance needs them. */
  function usedBefore(today: number, accountId: string): Promise<number[]> {
    return recent(`${accountId}/${today}`, async () => {
      const books = await ledger.accountBooks(accountId, { from: today - RUNWAY_DAYS, to: today - 1 });
      return books ? usedByDay(books, today) : [];
    });
  }

  return {
    /** Undefined before the account's first quiet balance read; `since` alone if that read came after these days. */
    async of(
      { team, accountId }: InstanceView,
      days: Days,
    ): Promise<Statement | { since: number } | undefined> {
      const found = await ledger.accountStatement(accountId, days);
      if (!found) return undefined;
      const { since } = found.books;
      if (since !== undefined && dayOf(since) > days.to) return { since };
      return statementOf(found, { team, days });
    },

    /**
     * How long credits last at the pace of the last days, once running jobs have taken theirs. Undefined if too little is
     * known. @param credits the balance, if it was just read; otherwise the known one counts
     */
    async runway({ accountId }: InstanceView, credits?: number): Promise<Runway | undefined> {
      const today = dayOf(ledger.now());
      const used = await usedBefore(today, accountId);
      if (!hasPace(used)) return undefined;
      const balance = credits ?? (await ledger.account(accountId))?.credits;
      if (balance === undefined) return undefined;
      return runwayOf({ used, left: balance - (await reserved(accountId)), today });
    },
  };
}
