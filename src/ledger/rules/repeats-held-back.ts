import { startingFrom } from '../../store/keys.ts';
import type { View } from '../../store/view.ts';
import { DAY_MS, dayOf } from '../model/days.ts';
import { deleteSomeOver, OVER_PAGE } from '../model/over.ts';
import type { SendRecord } from '../model/send-record.ts';
import { heldBack } from './rule-documents.ts';

/** How many days people can see the count of held back messages, with today. */
const DAYS = 7;

/**
 * Counts messages that the repeat guard held back, by channel and day. Fewer than none: takes back what a decision at
 * that moment counted.
 */
export function countHeldBack(
  view: View,
  { team, channelId }: SendRecord,
  messages: number,
  at = view.now,
): void {
  const day = dayOf(at);
  const id = [team, channelId, day].join('/');
  const before = view.getAssumingAbsent(heldBack, id)?.messages ?? 0;
  view.put(heldBack, id, { team, channelId, day, messages: Math.max(0, before + messages) });
}

/** How many texts the repeat guard held back in a channel within the last `DAYS` days, by UTC. */
export function heldBackLately(view: View, team: string, channelId: string): number {
  return view
    .list(heldBack, 'channels', startingFrom([team, channelId], dayOf(view.now) - DAYS + 1))
    .reduce((sum, { value }) => sum + value.messages, 0);
}

/** Deletes some counts that nobody reads any more. Returns whether there may be more. */
export function deleteOldCounts(view: View): boolean {
  const last = dayOf(view.now - DAYS * DAY_MS);
  return deleteSomeOver(view, heldBack, last) === OVER_PAGE;
}
