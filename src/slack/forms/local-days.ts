const DAY_MS = 86_400_000;

/** When a day (`2026-11-22`) begins in a time zone, ms since 1970. */
export function beginningOfDay(day: string, timeZone: string): number {
  const asIfUtc = Date.parse(`${day}T00:00:00Z`);
  // Once more: the clocks may change between the first guess and the day's beginning.
  const guess = asIfUtc - offsetAt(asIfUtc, timeZone);
  return asIfUtc - offsetAt(guess, timeZone);
}

/** The day after: `2026-11-23`. */
export function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);
}

/** The day of a moment in a time zone. */
export function dayOf(ms: number, timeZone: string): string {
  return localTime(ms, timeZone).slice(0, 10);
}

/** How far a zone's clock is ahead of UTC then, in ms. */
function offsetAt(ms: number, timeZone: string): number {
  return Date.parse(`${localTime(ms, timeZone).replace(' ', 'T')}Z`) - Math.floor(ms / 1000) * 1000;
}

/** Swedish writes times as `2026-11-22 14:02:07`. */
function localTime(ms: number, timeZone: string): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(ms);
}
