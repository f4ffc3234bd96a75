import type { JobResult } from '../../core/jobs/job-results.ts';
import { BYTE_ORDER_MARK, csvLines } from '../../core/lists/csv-export.ts';
import { outcomeReason, outcomeWord, RESULT_COLUMNS } from '../ui/file-words.ts';

/** How many rows are written before others get their turn. */
const ROWS_AT_ONCE = 2000;

/** Every recipient of a job with its outcome, as CSV in UTF-8; times in ISO 8601, UTC. */
export async function resultsCsv(results: readonly JobResult[]): Promise<Uint8Array> {
  const pieces = [BYTE_ORDER_MARK, csvLines([RESULT_COLUMNS])];
  for (let from = 0; from < results.length; from += ROWS_AT_ONCE) {
    pieces.push(csvLines(results.slice(from, from + ROWS_AT_ONCE).map(rowOf)));
    await new Promise(setImmediate);
  }
  return Buffer.concat(pieces);
}

function rowOf(result: JobResult) {
  const { row = '', e164, messageId = '', credits = '', at } = result;
  const time = at === undefined ? '' : new Date(at).toISOString();
  return [row, e164, outcomeWord(result), messageId, credits, time, outcomeReason(result)];
}
