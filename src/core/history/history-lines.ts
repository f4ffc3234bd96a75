import type { HistoryEntry, HistoryPlace } from '../../ledger/history/history-types.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type JobResult, resultsByChunks, resultsOf } from '../jobs/job-results.ts';
import { outcomeOfMessage } from './history-outcomes.ts';
import { type HistoryAsked, ledgerQuery, seesNumbers } from './history-query.ts';
import { digitsOf } from './history-rows.ts';

export interface HistoryLine {
  send: string;
  channel: string;
  by: string;
  /** When it was decided, ms since 1970. */
  decidedAt: number;
  kind: 'single' | 'job';
  /** Who approved it, and when that was asked for (ms since 1970); missing if nobody had to. */
  approved?: { by: string; askedAt: number };
  result: JobResult;
  /** Whether the reader may see the whole number. */
  isWhole: boolean;
}

/** Sends that are read before others get their turn. */
const SENDS_AT_ONCE = 20;

/**
 * Every message that somebody asks for, newest send first, in small batches: memory holds a few at a time. A batch may be
 * empty, where no message of these sends matches.
 */
export async function* historyLines(ledger: Ledger, asked: HistoryAsked): AsyncGenerator<HistoryLine[]> {
  const { filter } = asked;
  let olderThan: HistoryPlace | undefined;
  for (;;) {
    const page = await ledger.history({ ...ledgerQuery(asked), olderThan, limit: SENDS_AT_ONCE });
    const wanted = page.filter(({ send }) => filter.by === undefined || send.decidedBy === filter.by);
    // Single texts in a row are read together.
    for (let begin = 0; begin < wanted.length; ) {
      const job = wanted.findIndex(({ send }, index) => index >= begin && send.kind === 'job');
      const end = job === -1 ? wanted.length : job;
      yield await linesOfSingles(ledger, wanted.slice(begin, end), asked);
      const entry = wanted[job];
      if (entry) yield* linesOfJob(ledger, entry, asked);
      begin = end + 1;
    }
    const last = page.at(-1);
    if (!last || page.length < SENDS_AT_ONCE) return;
    olderThan = { at: last.send.decidedAt ?? 0, id: last.send.id };
    await new Promise(setImmediate);
  }
}

async function linesOfSingles(
  ledger: Ledger,
  entries: HistoryEntry[],
  asked: HistoryAsked,
): Promise<HistoryLine[]> {
  const found = await Promise.all(
    entries.map(async (entry) => {
      if (entry.send.undoneBy !== undefined) return linesOf(entry, [undoneResult(entry)], asked);
      const chunk = (await ledger.findWithFirstChunk(entry.send.id))?.chunk;
      return chunk ? linesOf(entry, resultsOf(chunk), asked) : [];
    }),
  );
  return found.flat();
}

async function* linesOfJob(
  ledger: Ledger,
  entry: HistoryEntry,
  asked: HistoryAsked,
): AsyncGenerator<HistoryLine[]> {
  if (entry.send.undoneBy !== undefined) yield linesOf(entry, [undoneResult(entry)], asked);
  for await (const results of resultsByChunks(ledger, entry.send.id)) yield linesOf(entry, results, asked);
}

/** The one line of a send that was undone. The recipients of an undone list are not kept. */
function undoneResult(entry: HistoryEntry): JobResult {
  const digits = entry.send.kind === 'single' ? digitsOf(entry) : undefined;
  return { e164: digits ? `+${digits}` : '', state: 'not_sent', barredFor: 'undone' };
}

function linesOf(
  { send }: HistoryEntry,
  results: JobResult[],
  { filter, person }: HistoryAsked,
): HistoryLine[] {
  const { id, channelId: channel, decidedBy: by = '', decidedAt = 0, kind, approval } = send;
  const approved = approval?.by === undefined ? undefined : { by: approval.by, askedAt: approval.askedAt };
  const isWhole = seesNumbers(person, send);
  return results
    .filter(
      (result) =>
        (filter.e164 === undefined || result.e164 === filter.e164) &&
        (filter.outcome === undefined || outcomeOfMessage(result) === filter.outcome),
    )
    .map((result) => ({
      send: id,
      channel,
      by,
      decidedAt,
      kind,
      ...(approved && { approved }),
      result,
      isWhole,
    }));
}
