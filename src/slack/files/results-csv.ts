import type { JobResult } from '../../core/jobs/job-results.ts';
import { BYTE_ORDER_MARK, csvLines } from '../../core/lists/csv-export.ts';
import { numberInCell } from '../../core/texts/phone-format.ts';
import { outcomeReason, outcomeWord, resultColumns } from '../ui/lists/words-in-files.ts';
import { clockOf } from './clock-of.ts';

/** How many rows to write before other work gets its turn. */
const ROWS_AT_ONCE = 2000;

/** All recipients of a job with their outcomes, as CSV in UTF-8. The header names the reader's time zone. */
export async function resultsCsv(results: readonly JobResult[], timeZone: string): Promise<Uint8Array> {
  const clock = clockOf(timeZone);
  const pieces = [BYTE_ORDER_MARK, csvLines([resultColumns(clock.resolvedOptions().timeZone)])];
  for (let from = 0; from < results.length; from += ROWS_AT_ONCE) {
    const rows = results.slice(from, from + ROWS_AT_ONCE).map((result) => rowOf(result, clock));
    pieces.push(csvLines(rows));
    await new Promise(setImmediate);
  }
  return Buffer.concat(pieces);
}

function rowOf(result: JobResult, clock: Intl.DateTimeFormat) {
  const { row = '', e164, messageId = '', credits = '', at } = result;
  const time = at === undefined ? '' : clock.format(at);
  return [row, numberInCell(e164), outcomeWord(result), messageId, credits, time, outcomeReason(result)];
}
