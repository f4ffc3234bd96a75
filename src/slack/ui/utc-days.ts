import { DAY_MS } from '../../core/accounts/periods.ts';
import type { Days } from '../../core/accounts/statement.ts';

/** Formats a day in UTC. Created once, since it takes time to load a locale's rules. */
let dayAndMonth: Intl.DateTimeFormat | undefined;

/** `22 Nov` */
export function shortDay(day: number): string {
  dayAndMonth ??= new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'short' });
  return dayAndMonth.format(day * DAY_MS);
}

/** `22 Nov 2026` */
export function longDay(day: number): string {
  return `${shortDay(day)} ${yearOf(day)}`;
}

/** `2026-11-22`, as date pickers and spreadsheets have it. */
export function isoDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** `14:00` */
export function utcTime(ms: number): string {
  return new Date(ms).toISOString().slice(11, 16);
}

/** `2026-11-22 14:00:00` */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}

/** The error at the field of the last day. */
export const DAYS_REVERSED = 'This day is before the first one.';

/** `1 Nov – 22 Nov 2026` */
export function daysWords({ from, to }: Days): string {
  if (from === to) return longDay(from);
  return `${yearOf(from) === yearOf(to) ? shortDay(from) : longDay(from)} – ${longDay(to)}`;
}

function yearOf(day: number): number {
  return new Date(day * DAY_MS).getUTCFullYear();
}
