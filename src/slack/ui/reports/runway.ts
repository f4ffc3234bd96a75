import type { Runway } from '../../../core/accounts/runway.ts';
import { shortDay } from '../utc-days.ts';
import { plural } from '../words.ts';

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
