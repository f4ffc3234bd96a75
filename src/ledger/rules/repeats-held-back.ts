import { startingFrom } from '../../store/keys.ts';
import type { View } from '../../store/view.ts';
import { DAY_MS, dayOf } from '../model/days.ts';
import { deleteSomeOver, OVER_PAGE } from '../model/over.ts';
import type { SendRecord } from '../model/send-record.ts';
import { heldBack } from './rule-documents.ts';

/** How many days people can see the count of held back messages, with today. */
const DAYS = 7;

/** Counts messages that the repeat guard held back, by channel and day. */
export function countHeldBack(view: View, { team, channelId }: SendRecord, messages: number): void {
  const day = dayOf(view.now);
  const id = idOf(team, channelId, day);
  const before = view.getAssumingAbsent(heldBack, id)?.messages ?? 0;
  view.put(heldBack, id, { team, channelId, day, messages: before + messages });
}

/** Takes back what the decision on a list counted: the list was undone. */
export function uncountHeldBack(view: View, record: SendRecord, messages: number): void {
  const { team, channelId, decidedAt = 0 } = record;
  const id = idOf(team, channelId, dayOf(decidedAt));
  const found = view.get(heldBack, id);
  // After a week `recover` has deleted the count, and nobody reads it.
  if (found) view.put(heldBack, id, { ...found, messages: Math.max(0, found.messages - messages) });
}

function idOf(team: string, channelId: string, day: number): string {
  return [team, channelId, day].join('/');
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
