import type { DayOutcomes } from '../../ledger/accounts/statement-types.ts';

/** What became of a workspace's texts on one day (days since 1970, UTC). */
export type OutcomeFigures = Pick<DayOutcomes, 'day' | 'sent' | 'notSent' | 'unknown'>;

/** Each of these days, in their order, but none before the first that counted all outcomes. */
export function dailyOutcomes(all: readonly DayOutcomes[], days: readonly number[]): OutcomeFigures[] {
  const incomplete = Math.max(-1, ...all.filter((one) => one.isIncomplete).map(({ day }) => day));
  const byDay = new Map(all.map((one) => [one.day, one]));
  return days
    .filter((day) => day > incomplete)
    .map((day) => {
      const { sent = 0, notSent = 0, unknown = 0 } = byDay.get(day) ?? {};
      return { day, sent, notSent, unknown };
    });
}
