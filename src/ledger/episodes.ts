import type { View } from '../store/view.ts';
import { episodes } from './documents.ts';
import type { Announcement, Episode, Json } from './ledger.ts';
import { announce } from './outbox.ts';

/** The episode, if it ever began. */
export function episode(view: View, name: string): Episode | undefined {
  const found = view.get(episodes, name);
  return found && { name, ...found };
}

/** One winner for each change, with its announcements in the same step. */
export function moveEpisode(
  view: View,
  name: string,
  from: string | undefined,
  to: { state: string; details: Json },
  announcements: Announcement[],
): boolean {
  if (view.get(episodes, name)?.state !== from) return false;
  view.put(episodes, name, { ...to, movedAt: view.now });
  for (const one of announcements) announce(view, one);
  return true;
}
