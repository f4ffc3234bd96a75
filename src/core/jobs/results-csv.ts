import type { ChunkRecord, Ledger } from '../../ledger/ledger.ts';
import { BYTE_ORDER_MARK, type CsvRow, csvLines } from '../lists/csv-export.ts';
import { ChunkResult, Evidence } from '../sends/outcome.ts';
import { countSegments } from '../texts/segments.ts';

const HEADER = ['row', 'phone', 'outcome', 'message id', 'credits', 'time', 'reason'];
/** How many chunks are read, and how many rows written, before others get their turn. */
const CHUNKS_AT_ONCE = 20;
const ROWS_AT_ONCE = 2000;

/**
 * Every recipient of a job with its outcome, as CSV in UTF-8, in the order of the list: row in the list, number,
 * outcome, the service's id, credits where they can be told apart, time of the answer (ISO 8601, UTC), and of what was
 * not sent, why. Undefined where there is no such job.
 */
export async function jobResultsCsv(ledger: Ledger, id: string): Promise<Uint8Array | undefined> {
  const send = await ledger.find(id);
  if (send?.kind !== 'job') return undefined;
  const rows: CsvRow[] = [];
  for (let from = 0; ; from += CHUNKS_AT_ONCE) {
    const chunks = await ledger.chunks(id, { from, limit: CHUNKS_AT_ONCE });
    for (const chunk of chunks) if (chunk.state !== 'split') rows.push(...rowsOf(chunk));
    if (chunks.length < CHUNKS_AT_ONCE) break;
    await new Promise(setImmediate);
  }
  rows.sort(([one], [other]) => Number(one) - Number(other));
  const pieces = [BYTE_ORDER_MARK, csvLines([HEADER])];
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    pieces.push(csvLines(rows.slice(from, from + ROWS_AT_ONCE)));
    await new Promise(setImmediate);
  }
  return Buffer.concat(pieces);
}

function rowsOf(chunk: ChunkRecord): CsvRow[] {
  const result = ChunkResult.safeParse(chunk.result).data;
  const credits = creditsOfEach(chunk, result?.creditsUsed);
  const time = chunk.settledAt === undefined ? '' : new Date(chunk.settledAt).toISOString();
  return chunk.messages.map(({ row = '', phone }, index) => [
    row,
    `+${phone}`,
    outcomeOf(chunk),
    result?.messageIds?.[index] ?? '',
    credits?.[index] ?? '',
    time,
    reasonOf(chunk, result),
  ]);
}

/** The words that people see. */
const OUTCOMES: { [state in ChunkRecord['state']]: string } = {
  pending: 'not finished',
  sending: 'not finished',
  sent: 'sent',
  rejected: 'rejected',
  not_sent: 'not sent',
  unknown: 'unknown',
  cancelled: 'cancelled',
  split: 'split',
};

/** A status of the service's own is named as such. */
function outcomeOf({ state, otherStatus }: ChunkRecord): string {
  return otherStatus === undefined ? OUTCOMES[state] : `status ${otherStatus}`;
}

const VERDICTS: { [verdict in Evidence['verdict']]: string } = {
  probably_not_sent: 'no clear answer; probably not sent',
  probably_sent: 'no clear answer; probably sent',
  undecided: 'no clear answer',
  topped_up: 'no clear answer',
  none: 'no clear answer',
};

function reasonOf({ state, evidence, saidSentBy }: ChunkRecord, result: ChunkResult | undefined): string {
  switch (state) {
    case 'rejected': {
      const words = result?.message ?? 'refused by the service';
      return result?.cause === 'group_refused' ? `refused as a group: ${words}` : words;
    }
    case 'not_sent':
      return result?.message ?? '';
    case 'unknown':
      if (saidSentBy !== undefined) return 'no clear answer; a person said that it arrived';
      return VERDICTS[Evidence.safeParse(evidence).data?.verdict ?? 'none'];
    case 'pending':
    case 'sending':
    case 'sent':
    case 'cancelled':
    case 'split':
      return '';
  }
}

/**
 * A chunk's credits shared out: equally, or by segments where that comes out even and equally does not; undefined where
 * neither does, since the price is not documented.
 */
function creditsOfEach({ messages }: ChunkRecord, used: number | undefined): number[] | undefined {
  if (used === undefined) return undefined;
  const segments = messages.map(({ text }) => countSegments(text).segments);
  const total = segments.reduce((sum, each) => sum + each, 0);
  const bySegments = used / total;
  if (Number.isInteger(bySegments)) return segments.map((each) => each * bySegments);
  const equally = used / messages.length;
  return Number.isInteger(equally) ? messages.map(() => equally) : undefined;
}
