import type { Collection } from '../../store/collection.ts';
import { MOST_CLOCK_SKEW_MS } from '../../store/store.ts';
import type { View } from '../../store/view.ts';

/** Marks a key as used. Until `until`, another use of it is a repeat. */
export const repeatMarks: Collection<{ until: number }> = {
  name: 'seen',
  // `isRepeat` takes it for used.
  whenDamaged: 'lost',
  indexes: { over: ({ until }) => [until] },
};

/** Something that people may ask for more than once, and that is done once within its time to live. */
export interface Once {
  key: string;
  ttlMs: number;
}

/** True for the first caller of a key within its time. The others are repeats. */
export function firstTime(view: View, once: Once): boolean {
  const isUsed = isRepeat(view, once);
  // A damaged mark holds for its time from now on.
  if (isUsed && !view.isDamaged(repeatMarks, once.key)) return false;
  view.put(repeatMarks, once.key, { until: view.now + once.ttlMs });
  return !isUsed;
}

/** Whether the key was used within its time. */
export function isRepeat(view: View, { key, ttlMs }: Once): boolean {
  const { now } = view;
  const { until = 0 } = view.getAssumingAbsent(repeatMarks, key) ?? {};
  if (view.isDamaged(repeatMarks, key)) return true;
  // A mark that lasts much longer is from before somebody set the clock back: it would stop the polls.
  return until > now && until <= now + ttlMs + 2 * MOST_CLOCK_SKEW_MS;
}
