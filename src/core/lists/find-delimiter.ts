import { isBlank } from '../texts/message-text.ts';
import { looksLikeNumber } from './number-like.ts';
import { isPhoneHeader } from './phone-headers.ts';
import { readRows } from './rows.ts';

const DELIMITERS = ['\t', ';', ','] as const;
export type Delimiter = (typeof DELIMITERS)[number];

const HINT = /^"?sep=([,;\t])"?[^\S\r\n]*(?:\r\n|\n|\r|$)/i;
/** The most cells and rows to look at. */
const MOST_CELLS = 500;
const FIRST_ROWS = 30;

/**
 * Finds the delimiter by the beginning of a list. Most of the first rows have it as often as the very first row. It
 * also leaves a phone number, or the header of a phone column, alone in a cell of that row. A list of one column has
 * none: it gets a comma. A first line `sep=;` tells spreadsheets the delimiter and is no row: it takes `hintBytes`.
 */
export async function findDelimiter(start: Buffer): Promise<{ delimiter: Delimiter; hintBytes: number }> {
  const text = start.toString();
  const hint = HINT.exec(text);
  if (hint) return { delimiter: hint[1] as Delimiter, hintBytes: Buffer.byteLength(hint[0]) };
  let delimiter: Delimiter = ',';
  let most = 0;
  for (const each of DELIMITERS) {
    const rows: string[][] = [];
    const read = await readRows([start], each, (cells) => {
      if (!cells.every(isBlank)) rows.push(cells);
      return rows.length < FIRST_ROWS;
    });
    // The beginning may end within a cell.
    if (read.kind === 'open_quote') rows.push(new Array<string>(read.cells + 1).fill(''));
    const [first = []] = rows;
    const alike = rows.filter(({ length }) => length === first.length).length;
    const any = rows.filter(({ length }) => length > 1).length;
    const regular = (first.length > 1 ? 1 + alike / rows.length : 0) + any / rows.length;
    const score = any > 0 ? regular + (hasPhoneCell(text, each) ? 1 : 0) : 0;
    if (score > most) {
      most = score;
      delimiter = each;
    }
  }
  return { delimiter, hintBytes: 0 };
}

/** Looks at the first line without its quotation marks: one that is never closed must hide no number. */
function hasPhoneCell(text: string, delimiter: Delimiter): boolean {
  const [line = ''] = text.trimStart().split(/[\r\n]/, 1);
  const cells = line.replaceAll('"', '').split(delimiter, MOST_CELLS);
  return cells.some((cell) => isPhoneHeader(cell) || looksLikeNumber(cell, undefined));
}
