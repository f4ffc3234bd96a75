import type { AccountBooks, Days } from '../../ledger/accounts/statement-types.ts';
import { dayOf } from '../../ledger/model/days.ts';

/** An account's credits on one day (days since 1970, UTC). */
export interface DayFigures {
  day: number;
  /** What was left when the day ended. */
  closing: number;
  /** All that left the account, whoever used it. */
  used: number;
  toppedUp: number;
}

/** Every day from the beginning of the books on, in order. On a day that the books do not name, nothing changed. */
export function dailyFigures({ since, opening, days }: AccountBooks, { from, to }: Days): DayFigures[] {
  const first = since === undefined ? from : Math.max(from, dayOf(since));
  const byDay = new Map(days.map((day) => [day.day, day]));
  const figures: DayFigures[] = [];
  let left = opening;
  for (let day = first; day <= to; day += 1) {
    const books = byDay.get(day);
    const before = books?.opening ?? left;
    left = books?.closing ?? left;
    const rises = books?.differences.filter(({ kind }) => kind === 'topped_up') ?? [];
    const toppedUp = rises.reduce((sum, { credits }) => sum + credits, 0);
    figures.push({ day, closing: left, used: Math.max(0, before - left + toppedUp), toppedUp });
  }
  return figures;
}
