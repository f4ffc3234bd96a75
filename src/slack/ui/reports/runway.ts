import type { Runway } from '../../../core/accounts/runway.ts';
import { shortDay } from '../utc-days.ts';
import { plural } from '../words.ts';

/** We name no day that is further away than this. */
const FAR_DAYS = 365;

/** `at this pace 12 days (28 Nov – 3 Dec)`; days are in UTC. */
export function runwayWords({ days, earliest, latest }: Runway): string {
  if (days > FAR_DAYS) return 'at this pace more than a year';
  const length = days === 0 ? 'less than a day' : plural(days, 'day');
  const isOpen = latest === undefined || latest - earliest > FAR_DAYS;
  const end = isOpen ? ' or later' : latest === earliest ? '' : ` – ${shortDay(latest)}`;
  return `at this pace ${length} (${shortDay(earliest)}${end})`;
}
