import { z } from 'zod';
import type { AccountBooks } from '../../ledger/accounts/statement-types.ts';
import { dayOf } from '../../ledger/model/days.ts';
import { dailyFigures } from './statement.ts';

/**
 * How many `days` credits last at the usual pace. At the fastest and the slowest recent pace, they end on the days
 * `earliest` and `latest` (since 1970, UTC). `latest` is missing if the slowest pace is zero.
 */
export const Runway = z.object({ days: z.number(), earliest: z.number(), latest: z.number().optional() });
export type Runway = z.infer<typeof Runway>;

/** A pace is an average over at most this many days. */
export const RUNWAY_DAYS = 28;
/** A pace needs at least this many complete days, and this many days on which credits were used. */
const LEAST_DAYS = 3;
const LEAST_DAYS_OF_USE = 2;

/**
 * The runway by what each complete day used; undefined if these are too few days. Compares whole weeks if there are any,
 * since weekends differ.
 * @param used credits of each complete day, the oldest first
 * @param left credits that are left, less those that running jobs will still take
 */
export function runwayOf(known: {
  used: readonly number[];
  left: number;
  today: number;
}): Runway | undefined {
  const { used, left, today } = known;
  if (!hasPace(used)) return undefined;
  const recent = used.slice(-RUNWAY_DAYS);
  const length = recent.length;
  const windows = length > 7 ? [7, 14, 28].filter((days) => days < length) : [Math.ceil(length / 2)];
  const paces = [...windows, length].map(
    (days) => recent.slice(-days).reduce((sum, one) => sum + one, 0) / days,
  );
  const lasting = (pace: number) => Math.floor(Math.max(0, left) / pace);
  const slowest = Math.min(...paces);
  return {
    days: lasting(paces.at(-1) as number),
    earliest: today + lasting(Math.max(...paces)),
    ...(slowest > 0 ? { latest: today + lasting(slowest) } : {}),
  };
}

/** Whether these days are enough for a pace. */
export function hasPace(used: readonly number[]): boolean {
  const recent = used.slice(-RUNWAY_DAYS);
  const daysOfUse = recent.filter((credits) => credits > 0).length;
  return recent.length >= LEAST_DAYS && daysOfUse >= LEAST_DAYS_OF_USE;
}

/** Credits that each complete day before `today` used, from the first whole day that the books know. */
export function usedByDay(books: AccountBooks, today: number): number[] {
  return dailyFigures(books, { from: today - RUNWAY_DAYS, to: today - 1 })
    .filter(({ day }) => books.since === undefined || day > dayOf(books.since))
    .map(({ used }) => used);
}
