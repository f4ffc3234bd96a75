import { stringify } from 'csv-stringify/sync';

/** Rows of a file to be written; figures are written as they are. */
export type CsvRow = readonly (string | number)[];

/** Tells spreadsheets that a file is in UTF-8. */
export const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/** Rows as CSV in UTF-8 with a byte order mark. A text that looks like a formula gets an apostrophe in front. */
export function toCsv(rows: readonly CsvRow[]): Uint8Array {
  return joined([BYTE_ORDER_MARK, csvLines(rows)]);
}

/** The lines of such a file alone, for callers that write it piece by piece. */
export function csvLines(rows: readonly CsvRow[]): Buffer {
  const safely = { escape_formulas: true, quote_record_delimiter: true };
  return Buffer.from(stringify([...rows], { ...safely, record_delimiter: 'windows' }));
}

/** The parts in one array of their own, which can be handed to another thread. */
export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(parts));
}
