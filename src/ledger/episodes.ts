import type { View } from '../store/view.ts';
import { episodes } from './documents.ts';
import type { Episode, EpisodeMove } from './ledger.ts';
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
  { from, to, details, announcements = [] }: EpisodeMove,
): boolean {
  if (view.get(episodes, name)?.state !== from) return false;
  view.put(episodes, name, { state: to, details, movedAt: view.now });
  for (const one of announcements) announce(view, one);
  return true;
}
