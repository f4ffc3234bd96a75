import type { View } from '../store/view.ts';
import { repeatMarks } from './documents.ts';

/** True for the first caller of a key within its time: the others are repeats. */
export function firstTime(view: View, key: string, ttlMs: number): boolean {
  // A mark that a power cut takes away costs a second preview, and every command makes one.
  view.allowUnsynced();
  const until = view.now + ttlMs;
  const mark = view.getAssumingAbsent(repeatMarks, key);
  // One that lasts longer than one made now was made before the clock was set back: it would starve the polls.
  if (mark && mark.until > view.now && mark.until <= until) return false;
  view.put(repeatMarks, key, { until });
  return true;
}
