import type { Ledger } from '../../ledger/ledger.ts';
import { dayOf } from '../../ledger/model/days.ts';
import type { Drift, DriftWatch } from '../accounts/drift.ts';
import type { InstanceView } from '../accounts/instance-view.ts';
import type { Runway } from '../accounts/runway.ts';
import type { Statement } from '../accounts/statement.ts';
import type { Statements } from '../accounts/statements.ts';
import type { Clock } from '../clock.ts';
import { createShortCache } from '../short-cache.ts';

/** What an account's books say of the days to come, and of the last week. */
export interface Outlook {
  runway: Runway | undefined;
  drift: Drift | undefined;
  week: Pick<Statement, 'opening' | 'daily' | 'outcomes'> | undefined;
}

/** An outlook reads weeks of books, so one is used for this long, in ms. */
const KEEP_MS = 60_000;
const WEEK_DAYS = 7;

/** Says an account's outlook, as of the last minute. */
export function createOutlooks(deps: {
  ledger: Pick<Ledger, 'now'>;
  statements: Pick<Statements, 'runway' | 'of'>;
  drift: Pick<DriftWatch, 'of'>;
  clock: Pick<Clock, 'steady'>;
}): (instance: InstanceView) => Promise<Outlook> {
  const { ledger, statements, drift, clock } = deps;
  /** By workspace and account. */
  const recent = createShortCache<Outlook>(KEEP_MS, clock.steady);

  async function weekOf(instance: InstanceView): Promise<Outlook['week']> {
    const today = dayOf(ledger.now());
    const statement = await statements.of(instance, { from: today - WEEK_DAYS + 1, to: today });
    if (!statement || !('opening' in statement)) return undefined;
    // Only what a Home shows is kept.
    const { opening, daily, outcomes } = statement;
    return { opening, daily, outcomes };
  }

  return (instance) =>
    recent(`${instance.team}/${instance.accountId}`, async () => {
      const [runway, found, week] = await Promise.all([
        statements.runway(instance),
        drift.of(instance),
        weekOf(instance),
      ]);
      return { runway, drift: found, week };
    });
}
