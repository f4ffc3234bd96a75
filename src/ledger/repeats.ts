import type { View } from '../store/view.ts';
import { repeatMarks } from './documents.ts';
import type { Once } from './ledger.ts';

/** True for the first caller of a key within its time: the others are repeats. */
export function firstTime(view: View, { key, ttlMs }: Once): boolean {
  const until = view.now + ttlMs;
  const mark = view.getAssumingAbsent(repeatMarks, key);
  // One that lasts longer than one made now was made before the clock was set back: it would starve the polls.
  if (mark && mark.until > view.now && mark.until <= until) return false;
  view.put(repeatMarks, key, { until });
  return true;
}
