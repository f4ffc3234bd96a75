/** Months and days as the people of a workspace live them. Moments are ms since 1970. */

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** No place is further ahead of UTC, or behind it, than this. */
const MOST_AHEAD_MS = 15 * HOUR_MS;
const MOST_BEHIND_MS = 13 * HOUR_MS;

/** A month (`2026-11`) or a day (`2026-11-22`), and when the next one begins. */
export interface CalendarPeriod {
  name: string;
  renewsAt: number;
}

/** By time zone. Making a formatter takes far longer than using it. */
const formatters = new Map<string, Intl.DateTimeFormat>();

/** The time zone's canonical name (IANA); undefined if this program does not know the zone. */
export function canonicalTimeZone(name: string): string | undefined {
  try {
    return formatterOf(name).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** By time zone: the calendar of today. Many ask for it all day, and finding the end of a day or a month takes 11 steps. */
const latest = new Map<string, Record<'month' | 'day', CalendarPeriod>>();

/** The month and the day of a moment in a time zone (IANA). @throws RangeError if there is no such zone */
export function calendarOf(now: number, timeZone: string) {
  const today = dateOf(now, timeZone);
  const known = latest.get(timeZone);
  if (known?.day.name === today) return known;
  const [year = 0, month = 0, day = 0] = today.split('-').map(Number);
  const calendar = {
    month: { name: today.slice(0, 7), renewsAt: beginningOf(Date.UTC(year, month, 1), timeZone) },
    day: { name: today, renewsAt: beginningOf(Date.UTC(year, month - 1, day + 1), timeZone) },
  };
  latest.set(timeZone, calendar);
  return calendar;
}

/** The first minute of a date, given as its midnight in UTC. If clocks skip midnight, the date begins later. */
export function beginningOf(utcMidnight: number, timeZone: string): number {
  const date = new Date(utcMidnight).toISOString().slice(0, 10);
  let before = utcMidnight - MOST_AHEAD_MS;
  let after = utcMidnight + MOST_BEHIND_MS;
  while (after - before > MINUTE_MS) {
    const middle = before + Math.floor((after - before) / 2 / MINUTE_MS) * MINUTE_MS;
    if (dateOf(middle, timeZone) < date) before = middle;
    else after = middle;
  }
  return after;
}

/** The date of a moment in a time zone (IANA): `2026-11-22`. */
export function dateOf(moment: number, timeZone: string): string {
  const parts = formatterOf(timeZone).formatToParts(moment);
  const part = (type: string) => parts.find((each) => each.type === type)?.value ?? '';
  return `${part('year')}-${part('month')}-${part('day')}`;
}

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known) return known;
  // The calendar is named, since the machine's own language may have another one.
  const made = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  formatters.set(timeZone, made);
  return made;
}
