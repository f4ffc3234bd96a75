import { stringify } from 'csv-stringify/sync';

/** A row of a file to be written; figures are written as they are. */
export type CsvRow = readonly (string | number)[];

/**
 * Writes CSV in UTF-8 with a byte order mark, which tells spreadsheets the encoding. A text that looks like a formula gets
 * an apostrophe in front.
 */
export function createCsv(header: CsvRow) {
  const pieces = [Buffer.from('\uFEFF')];
  function add(rows: readonly CsvRow[]): void {
    const safely = { escape_formulas: true, quote_record_delimiter: true };
    pieces.push(Buffer.from(stringify([...rows], { ...safely, record_delimiter: 'windows' })));
  }
  add([header]);
  return {
    add,
    /** The file so far, in an array of its own, which can be handed to another thread. */
    bytes: () => new Uint8Array(Buffer.concat(pieces)),
  };
}

/** A row's cells, in the order of the columns. */
export function inOrder<Column extends string>(
  columns: { [column in Column]: string },
  cells: { [column in Column]: string | number },
): CsvRow {
  return Object.keys(columns).map((column) => cells[column as Column]);
}

/** A file whose rows are all there. */
export function toCsv(header: CsvRow, rows: readonly CsvRow[]): Uint8Array {
  const csv = createCsv(header);
  csv.add(rows);
  return csv.bytes();
}
