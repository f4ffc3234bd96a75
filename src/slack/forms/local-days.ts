import { DAY_MS } from '../../core/accounts/periods.ts';
import { clockOf } from '../files/clock-of.ts';

/** When a day (`2026-11-22`) begins in a time zone, ms since 1970. */
export function beginningOfDay(day: string, timeZone: string): number {
  const asIfUtc = Date.parse(`${day}T00:00:00Z`);
  // Twice, since the clocks may change between the first guess and the beginning of the day.
  const guess = asIfUtc - offsetAt(asIfUtc, timeZone);
  return asIfUtc - offsetAt(guess, timeZone);
}

/** The day after: `2026-11-23`. */
export function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);
}

/** The day of a moment in a time zone: `2026-11-22`. */
export function localDayOf(ms: number, timeZone: string): string {
  return clockOf(timeZone).format(ms).slice(0, 10);
}

/** How far a zone's clock is ahead of UTC then, in ms. */
function offsetAt(ms: number, timeZone: string): number {
  return Date.parse(`${clockOf(timeZone).format(ms).replace(' ', 'T')}Z`) - Math.floor(ms / 1000) * 1000;
}
