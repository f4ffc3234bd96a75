import { keyText, startingWith } from '../../store/keys.ts';
import type { View } from '../../store/view.ts';
import type { LedgerMessage } from '../model/chunk-record.ts';
import { sends } from '../model/send-documents.ts';
import type { SendRecord, Tally } from '../model/send-record.ts';
import { tallyOf } from '../model/tally.ts';

/** A send's place in the history: the time of its decision (ms since 1970), and its id. */
export interface HistoryPlace {
  at: number;
  id: string;
}

/** Asks for a part of the history of a workspace, of one channel, or of one person in all channels. */
export interface HistoryQuery {
  team: string;
  channelId?: string | undefined;
  /** Who decided. Not together with a channel. */
  by?: string;
  /** Decided at this moment or later. */
  from?: number | undefined;
  /** Decided before this moment. */
  to?: number | undefined;
  /** Reads the newest sends that are older than this one. */
  olderThan?: HistoryPlace | undefined;
  /** Instead of `olderThan`: reads the oldest sends that are newer than this one. */
  newerThan?: HistoryPlace | undefined;
  limit: number;
}

/** A send that somebody decided to send. `messages`: the message of a single text; empty for a job. */
export interface HistoryEntry {
  send: SendRecord;
  tally: Tally;
  messages: LedgerMessage[];
}

/** Sends that somebody decided to send, undone ones too; newest first. Reads only these, and no texts of jobs. */
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
