import { setImmediate } from 'node:timers/promises';
import { CsvError, Parser } from 'csv-parse';
import type { Delimiter } from './find-delimiter.ts';
import { MOST_ROWS } from './list-limits.ts';

export type RowsRead =
  /** `stopped`: the reader had enough. */
  | { kind: 'end' | 'stopped' | 'too_many' }
  /** A quotation mark that opens in this row, behind this number of cells, is never closed. */
  | { kind: 'open_quote'; row: number; cells: number };

/**
 * Reads rows from text in UTF-8, one piece after another, with a turn of the event loop in between. Each row is handed
 * over with its number, blank ones too (as one empty cell); `onRow` answers whether it wants more.
 */
export async function readRows(
  pieces: Iterable<Buffer>,
  delimiter: Delimiter,
  onRow: (cells: string[], row: number) => boolean,
): Promise<RowsRead> {
  let row = 0;
  let stop: 'stopped' | 'too_many' | undefined;
  let failure: Error | undefined;
  const parser = new Parser({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    // People put a space behind the comma, also before a quotation mark.
    ltrim: true,
    on_record(cells: string[]) {
      if (stop) return;
      row += 1;
      if (row > MOST_ROWS) stop = 'too_many';
      else if (!onRow(cells, row)) stop = 'stopped';
    },
  });
  parser.on('error', (error) => {
    failure = error;
  });
  parser.resume();
  for (const piece of pieces) {
    parser.write(piece);
    await setImmediate();
    if (stop || failure) break;
  }
  if (!stop && !failure) {
    parser.end();
    await new Promise((resolve) => parser.on('close', resolve));
  }
  parser.destroy();
  if (failure instanceof CsvError && failure.code === 'CSV_QUOTE_NOT_CLOSED') {
    return { kind: 'open_quote', row: row + 1, cells: Number(failure.column) };
  }
  if (failure) throw failure;
  return { kind: stop ?? 'end' };
}
