import type { Collection } from '../../store/collection.ts';
import { MAX_CLOCK_SKEW_MS } from '../../store/store.ts';
import type { View } from '../../store/view.ts';
import { timeKey } from './time-key.ts';

/** Marks a key that was used once: until then, another use is a repeat. */
export interface RepeatMark {
  until: number;
}

export const repeatMarks: Collection<RepeatMark> = {
  name: 'seen',
  indexes: { over: ({ until }) => [timeKey(until)] },
};

/** Something that may be asked for more than once, and is done once within its time to live. */
export interface Once {
  key: string;
  ttlMs: number;
}

/** True for the first caller of a key within its time: the others are repeats. */
export function firstTime(view: View, once: Once): boolean {
  if (isRepeat(view, once)) return false;
  view.put(repeatMarks, once.key, { until: view.now + once.ttlMs });
  return true;
}

/** Whether the key was used within its time. */
export function isRepeat(view: View, { key, ttlMs }: Once): boolean {
  const { now } = view;
  const { until = 0 } = view.getAssumingAbsent(repeatMarks, key) ?? {};
  // A mark that lasts much longer than a new one is from before somebody set the clock back. It must not count, or it
  // would starve the polls.
  return until > now && until <= now + ttlMs + 2 * MAX_CLOCK_SKEW_MS;
}
