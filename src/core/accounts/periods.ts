import type { Days } from '../../ledger/accounts/statement-types.ts';
import { dayOf } from '../../ledger/model/days.ts';

export { DAY_MS, dayOf } from '../../ledger/model/days.ts';

/** From the first of the month up to today. */
export function thisMonth(now: number): Days {
  return { from: firstOfMonth(now, 0), to: dayOf(now) };
}

/** The whole month before. */
export function lastMonth(now: number): Days {
  return { from: firstOfMonth(now, -1), to: firstOfMonth(now, 0) - 1 };
}

function firstOfMonth(now: number, months: number): number {
  const date = new Date(now);
  return dayOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1));
}
