import type { HistoryEntry, HistoryPlace } from '../../ledger/history/history.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { defined } from '../../ledger/model/defined.ts';
import { type JobResult, resultsByChunks, resultsOf } from '../jobs/job-results.ts';
import { outcomeOfMessage } from './history-outcomes.ts';
import { type HistoryAsked, ledgerQuery, seesNumbers } from './history-query.ts';
import { digitsOf } from './history-rows.ts';

export type HistoryLine = ReturnType<typeof linesOf>[number];

/** Sends that are read before others get their turn. */
const SENDS_AT_ONCE = 20;

/** Every message of a query, newest send first, in small batches: memory holds few at a time. Some batches are empty. */
export async function* historyLines(ledger: Ledger, asked: HistoryAsked): AsyncGenerator<HistoryLine[]> {
  const { filter } = asked;
  let olderThan: HistoryPlace | undefined;
  for (;;) {
    const page = await ledger.history({ ...ledgerQuery(asked), olderThan, limit: SENDS_AT_ONCE });
    const wanted = page.filter(({ send }) => filter.by === undefined || send.decidedBy === filter.by);
    // Single texts in a row are read together, those behind a job after it: it may take long.
    for (let begin = 0; begin < wanted.length; ) {
      const place = wanted.findIndex(({ send }, index) => index >= begin && send.kind === 'job');
      const end = place === -1 ? wanted.length : place + 1;
      const lines = wanted.slice(begin, end).map((entry) => linesAtOnce(ledger, entry, asked));
      yield (await Promise.all(lines)).flat();
      const job = wanted[place];
      if (job) for await (const some of resultsByChunks(ledger, job.send.id)) yield linesOf(job, some, asked);
      begin = end;
    }
    const last = page.at(-1);
    if (!last || page.length < SENDS_AT_ONCE) return;
    olderThan = { at: last.send.decidedAt ?? 0, id: last.send.id };
    await new Promise(setImmediate);
  }
}

/** The lines of a single text. A send that was undone has one line: the recipients of an undone list are not kept. */
async function linesAtOnce(ledger: Ledger, entry: HistoryEntry, asked: HistoryAsked): Promise<HistoryLine[]> {
  const { id, kind, undoneBy } = entry.send;
  if (undoneBy !== undefined) {
    const digits = kind === 'single' ? digitsOf(entry) : undefined;
    const e164 = digits ? `+${digits}` : '';
    return linesOf(entry, [{ e164, state: 'not_sent', barredFor: 'undone' }], asked);
  }
  const chunk = kind === 'single' ? (await ledger.findWithFirstChunk(id))?.chunk : undefined;
  return chunk ? linesOf(entry, resultsOf(chunk), asked) : [];
}

function linesOf({ send }: HistoryEntry, results: JobResult[], { filter, person }: HistoryAsked) {
  const { id, channelId: channel, decidedBy: by = '', decidedAt = 0, approval } = send;
  /** Who approved the send, and when somebody asked for that; missing if nobody had to approve. */
  const approved = approval?.by === undefined ? undefined : { by: approval.by, askedAt: approval.askedAt };
  /** Whether the reader may see the full phone number. */
  const isWhole = seesNumbers(person, send);
  const ofSend = { send: id, channel, by, decidedAt, ...defined({ approved }), isWhole };
  return results
    .filter(
      (result) =>
        (filter.e164 === undefined || result.e164 === filter.e164) &&
        (filter.outcome === undefined || outcomeOfMessage(result) === filter.outcome),
    )
    .map((result) => ({ ...ofSend, result }));
}
