import { keyText, startingWith } from '../../store/keys.ts';
import type { View } from '../../store/view.ts';
import { sends } from '../model/send-documents.ts';
import { tallyOf } from '../model/tally.ts';
import type { HistoryEntry, HistoryPlace, HistoryQuery } from './history-types.ts';

/** Sends that somebody decided to send, undone ones too; newest first. Reads no more sends, and no texts of jobs. */
export function history(view: View, query: HistoryQuery): HistoryEntry[] {
  const { team, channelId, by, from, to, olderThan, newerThan, limit } = query;
  const [index, place] =
    by !== undefined
      ? (['historyOfPerson', [team, by]] as const)
      : channelId === undefined
        ? (['historyOfTeam', [team]] as const)
        : (['historyOfChannel', [team, channelId]] as const);
  const keyOf = ({ at, id }: HistoryPlace) => [...place, at, id];
  const all = startingWith(place);
  const lowest = [all.from];
  const highest = [all.to];
  if (from !== undefined) lowest.push(keyText([...place, Math.max(0, Math.floor(from))]));
  if (to !== undefined) highest.push(keyText([...place, Math.max(0, Math.floor(to))]));
  if (olderThan) highest.push(keyText(keyOf(olderThan)));
  if (newerThan) lowest.push(startingWith(keyOf(newerThan)).to);
  // Keys are ASCII, so they sort here as in the store.
  const bounds = { from: lowest.sort().at(-1) ?? all.from, to: highest.sort()[0] ?? all.to };
  if (bounds.from >= bounds.to) return [];
  const found = view.list(sends, index, bounds, { limit, isReverse: !newerThan });
  if (newerThan) found.reverse();
  return found.map(({ value }) => ({
    send: value.record,
    tally: tallyOf(value),
    messages: value.messages ?? [],
  }));
}
