import { setImmediate } from 'node:timers/promises';
import { CsvError, Parser } from 'csv-parse';
import type { RowRules } from './classify-row.ts';
import type { Delimiter } from './find-delimiter.ts';
import { MOST_ROWS } from './list-limits.ts';
import { looksLikeNumber } from './number-like.ts';

type RowsRead =
  /** `stopped`: the reader had enough. */
  | { kind: 'end' | 'stopped' | 'too_many' }
  /** A quotation mark that opens in this row, behind `cells` cells, is never closed. */
  | { kind: 'open_quote'; row: number; cells: number };

/** Gets each row with its number, blank ones too (as one empty cell), and answers whether it wants more. */
export type OnRow = (cells: string[], row: number) => boolean;

/** Reads rows from text in UTF-8, one piece after another, with a turn of the event loop in between. */
export async function readRows(
  pieces: Iterable<Buffer>,
  delimiter: Delimiter,
  onRow: OnRow,
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

/**
 * Whether a cell ends in a later row than it should: nobody closed its quotation mark, so a later one ended it. Then
 * the cell begins with a quotation mark and has an odd number of them, or it holds whole rows of the list.
 */
export function swallowsRows(
  cells: string[],
  { delimiter, columns: { width, phone } }: Pick<RowRules, 'delimiter' | 'columns'>,
): boolean {
  return cells.some((cell) => {
    if (!/[\n\r]/.test(cell)) return false;
    const marks = cell.split('"').length - 1;
    if (cell.startsWith('"') && marks % 2 === 1) return true;
    const [, ...lines] = cell.split(/\r\n|\n|\r/);
    return lines.some((line) => {
      const row = line.split(delimiter);
      return row.length > 1 && row.length >= width && looksLikeNumber(row[phone] ?? '', undefined);
    });
  });
}
