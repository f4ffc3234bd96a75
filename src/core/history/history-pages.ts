import { z } from 'zod';
import type { HistoryEntry, HistoryPlace } from '../../ledger/history/history.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { defined } from '../../ledger/model/defined.ts';
import { outcomeCounts } from './history-outcomes.ts';
import { type HistoryAsked, ledgerQuery } from './history-query.ts';
import { digitsOf, type HistoryRow, historyRows } from './history-rows.ts';

const ROWS_PER_PAGE = 10;
/** Documents that one page may look at; a send counts as one, a chunk of a job as two. */
export const MOST_DOCUMENTS = 500;
/** Sends that are read before others get their turn. */
const SENDS_AT_ONCE = 50;
/** Chunks of a job whose numbers are compared before others get their turn. */
const CHUNKS_AT_ONCE = 10;

const Place = z.object({ at: z.number().int().nonnegative(), id: z.string() });

/** Where a page begins, and which way it goes. `job`: how many chunks of the first send were searched already. */
export const HistoryCursor = z.object({
  way: z.enum(['older', 'newer']),
  place: Place.optional(),
  job: z.object({ id: z.string(), chunk: z.number().int().nonnegative() }).optional(),
});
export type HistoryCursor = z.infer<typeof HistoryCursor>;

/** A page, newest first. */
export interface HistoryPage {
  rows: HistoryRow[];
  older?: HistoryCursor;
  newer?: HistoryCursor;
  /** The page is not full: it was searched up to this moment (ms since 1970), and there is more behind it. */
  searchedTo?: number;
}

/** The result of a search in one direction. */
interface Found {
  entries: HistoryEntry[];
  /** The first send that was looked at. */
  first?: HistoryEntry;
  /** Where to go on, if there may be more. */
  next?: HistoryCursor;
  /** See `HistoryPage`. */
  searchedTo?: number | undefined;
}

/** A page of what somebody asks for. A page that would be the newest begins at the top. */
export async function historyPage(
  ledger: Ledger,
  asked: HistoryAsked,
  cursor: HistoryCursor = { way: 'older' },
): Promise<HistoryPage> {
  const { entries, first, next, searchedTo } = await search(ledger, asked, cursor);
  const isNewer = cursor.way === 'newer';
  // Nothing is newer: show the newest page, which is full.
  if (isNewer && !next) return historyPage(ledger, asked);
  const rows = await historyRows(ledger, isNewer ? entries.toReversed() : entries, asked.person);
  const back = cursor.place && backFrom(cursor, first);
  const [older, newer] = isNewer ? [back, next] : [next, back];
  return { rows, ...defined({ older, newer, searchedTo }) };
}

/** The way back to the page before: beyond the first send of this one. */
function backFrom({ way, place }: HistoryCursor, first: HistoryEntry | undefined): HistoryCursor | undefined {
  const back = way === 'older' ? 'newer' : 'older';
  if (first) return { way: back, place: placeOf(first) };
  // This page is empty, so go back to its own place. No id sorts before the empty one, so the way back skips none.
  return place && { way: back, place: back === 'newer' ? { at: place.at, id: '' } : place };
}

async function search(ledger: Ledger, asked: HistoryAsked, cursor: HistoryCursor): Promise<Found> {
  const { way } = cursor;
  const { by, e164, outcome } = asked.filter;
  const isOpen = by === undefined && e164 === undefined && outcome === undefined;
  const found: Found = { entries: [] };
  let { place } = cursor;
  for (let left = MOST_DOCUMENTS; left > 0; ) {
    // Ask for one row more than a page has: it shows whether another page follows.
    const limit = isOpen ? ROWS_PER_PAGE + 1 : Math.min(SENDS_AT_ONCE, left);
    const beyond = way === 'older' ? { olderThan: place } : { newerThan: place };
    const page = await ledger.history({ ...ledgerQuery(asked), ...beyond, limit });
    for (const entry of way === 'older' ? page : page.toReversed()) {
      if (found.entries.length === ROWS_PER_PAGE) return { ...found, next: { way, place } };
      found.first ??= entry;
      left -= 1;
      const begin = cursor.job?.id === entry.send.id ? cursor.job.chunk : 0;
      const match = await matches(ledger, entry, asked, { begin, most: Math.max(0, Math.floor(left / 2)) });
      if ('chunk' in match) {
        const job = { id: entry.send.id, chunk: match.chunk };
        return { ...found, next: { way, place, job }, searchedTo: placeOf(entry).at };
      }
      left -= 2 * match.chunks;
      if (match.isMatch) found.entries.push(entry);
      place = placeOf(entry);
    }
    if (page.length < limit) return found;
    await new Promise(setImmediate);
  }
  const isFull = found.entries.length === ROWS_PER_PAGE;
  return { ...found, next: { way, place }, searchedTo: isFull ? undefined : place?.at };
}

function placeOf({ send: { id, decidedAt = 0 } }: HistoryEntry): HistoryPlace {
  return { at: decidedAt, id };
}

/** Whether a send matches, after reading `most` chunks at most. If these don't tell, the chunk where the search goes on. */
async function matches(
  ledger: Ledger,
  { send, tally, messages }: HistoryEntry,
  { filter: { by, e164, outcome } }: HistoryAsked,
  { begin, most }: { begin: number; most: number },
): Promise<{ isMatch: boolean; chunks: number } | { chunk: number }> {
  if (by !== undefined && send.decidedBy !== by) return { isMatch: false, chunks: 0 };
  if (outcome !== undefined && outcomeCounts(tally)[outcome] === 0) return { isMatch: false, chunks: 0 };
  if (e164 === undefined) return { isMatch: true, chunks: 0 };
  const digits = e164.slice(1);
  if (send.kind === 'single') return { isMatch: digitsOf({ send, messages }) === digits, chunks: 0 };
  for (let chunks = 0; chunks < most; ) {
    const limit = Math.min(CHUNKS_AT_ONCE, most - chunks);
    const page = await ledger.chunks(send.id, { from: begin + chunks, limit });
    chunks += page.length;
    const isThere = page.some(({ messages }) => messages.some(({ phone }) => phone === digits));
    if (isThere) return { isMatch: true, chunks };
    if (page.length < limit) return { isMatch: false, chunks };
    await new Promise(setImmediate);
  }
  return { chunk: begin + most };
}
