import { OPERATOR } from '../../core/accounts/instances.ts';
import type { Runway } from '../../core/accounts/runway.ts';
import type { Estimate } from '../../core/sends/estimate.ts';
import type { LastBalance } from '../../core/sends/send-details.ts';
import { isoTime, shortDay, utcTime } from './utc-days.ts';

const MOST_MENTIONED = 10;
const MINUTE_MS = 60_000;
/** Made once, and not before the first figure: a locale's rules would make the start 20 ms slower. */
let figures: Intl.NumberFormat | undefined;

/** `4,213` */
export function count(n: number): string {
  figures ??= new Intl.NumberFormat('en-US');
  return figures.format(n);
}

/** `1 credit`, `4,213 credits` */
export function credits(n: number): string {
  return plural(n, 'credit');
}

/** `≈ 4,426`, or `4,213 to 4,426` if the price of such texts is not certain yet. */
export function estimated({ credits: most, least }: Pick<Estimate, 'credits' | 'least'>): string {
  return least === undefined ? `≈ ${count(most)}` : `${count(least)} to ${count(most)}`;
}

/** `≈ 1 credit`, `1 to 7 credits` */
export function estimatedCredits(estimate: Pick<Estimate, 'credits' | 'least'>): string {
  return `${estimated(estimate)} credit${estimate.credits === 1 ? '' : 's'}`;
}

/** The rest of a balance after an estimate: `998`, `992 to 998`. */
export function estimatedRest(balance: number, { credits: most, least }: Estimate): string {
  const rest = count(balance - most);
  return least === undefined ? rest : `${rest} to ${count(balance - least)}`;
}

/** Says that we have no fresh balance, with the last known one and its age. */
export function noFreshBalance(last: LastBalance | undefined): string {
  if (!last) return 'the balance could not be read right now';
  return `${credits(last.credits)} as of ${when(last.at)}; we can’t check it right now`;
}

/** Why an estimate has two figures. */
export const PRICE_UNKNOWN = 'your price for such texts is not certain yet';

export function capitalised(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

/** `1 segment`, `2 segments` */
export function plural(n: number, noun: string): string {
  return `${count(n)} ${noun}${n === 1 ? '' : 's'}`;
}

/** How long something takes, from ms: `less than a minute`, `about 5 minutes`, `about 2 hours`. */
export function about(ms: number): string {
  const minutes = Math.round(ms / MINUTE_MS);
  if (ms < MINUTE_MS) return 'less than a minute';
  return minutes < 120
    ? `about ${plural(minutes, 'minute')}`
    : `about ${plural(Math.round(minutes / 60), 'hour')}`;
}

/** We name no day that is further away than this. */
const FAR_DAYS = 365;

/** `about 12 days left at this pace (28 Nov – 3 Dec)`; days are in UTC. */
export function runwayWords({ days, earliest, latest }: Runway): string {
  if (days > FAR_DAYS) return 'more than a year left at this pace';
  const length = days === 0 ? 'less than a day' : `about ${plural(days, 'day')}`;
  const isOpen = latest === undefined || latest - earliest > FAR_DAYS;
  const end = isOpen ? ' or later' : latest === earliest ? '' : ` – ${shortDay(latest)}`;
  return `${length} left at this pace (${shortDay(earliest)}${end})`;
}

/** A moment (ms since 1970) in the reader's own time zone: "today at 14:02". */
export function when(ms: number): string {
  const { format, fallback } = dateWords(ms);
  return dateToken(ms, format, fallback);
}

/** The same as Slack's rich text writes it. */
export function dateWords(ms: number): { format: string; fallback: string } {
  return { format: '{date_short_pretty} at {time}', fallback: `${isoTime(ms).slice(0, 16)} UTC` };
}

/** `between today at 14:00 and today at 15:00`; `today at 14:00` if both are in the same minute. */
export function span(from: number, to: number): string {
  const isOneMinute = Math.floor(from / MINUTE_MS) === Math.floor(to / MINUTE_MS);
  return isOneMinute ? when(from) : `between ${when(from)} and ${when(to)}`;
}

/** The time of day only, for a moment close to now: "14:02". */
export function time(ms: number): string {
  return dateToken(ms, '{time}', `${utcTime(ms)} UTC`);
}

/** The same to the second: "14:02:10". */
export function timeToTheSecond(ms: number): string {
  return dateToken(ms, '{time_secs}', `${isoTime(ms).slice(11)} UTC`);
}

function dateToken(ms: number, format: string, fallback: string): string {
  return `<!date^${Math.floor(ms / 1000)}^${format}|${fallback}>`;
}

/** `@ana`, by user id; "the operator" for somebody who used the command on the server. */
export function mention(userId: string): string {
  return userId === OPERATOR ? 'the operator' : `<@${userId}>`;
}

/** Some people: `@ana, @ben and 3 more`. */
export function mentions(userIds: readonly string[]): string {
  return firstOf(userIds.map(mention), MOST_MENTIONED);
}

/** The first `most`, and how many more there are. */
export function firstOf(all: readonly string[], most: number): string {
  const shown = all.slice(0, most).join(', ');
  const more = all.length - most;
  return more > 0 ? `${shown} and ${count(more)} more` : shown;
}

/** The things in their order, in groups of `size`; the last may be smaller. */
export function inGroups<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));
}

/** Something that may be absent, as in `isLate && 'It is late.'` */
export type Maybe<T> = T | Absent;
type Absent = undefined | false | '';

/** The parts that are not absent, in order. */
export function present<const Parts extends readonly unknown[]>(
  ...parts: Parts
): Exclude<Parts[number], Absent>[] {
  return parts.filter((part): part is Exclude<Parts[number], Absent> => Boolean(part));
}

/** The lines that are not absent, as one text. */
export function inLines(...parts: Maybe<string>[]): string {
  return present(...parts).join('\n');
}
