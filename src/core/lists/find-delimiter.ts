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
 * Finds the delimiter by the beginning of a list: the one with the best score. A list of one column has none: it gets a
 * comma. A first line `sep=;` tells spreadsheets the delimiter and is no row: it takes `hintBytes`.
 */
export async function findDelimiter(start: Buffer): Promise<{ delimiter: Delimiter; hintBytes: number }> {
  const hint = HINT.exec(start.toString());
  if (hint) return { delimiter: hint[1] as Delimiter, hintBytes: Buffer.byteLength(hint[0]) };
  let best: { delimiter: Delimiter; score: number } = { delimiter: ',', score: 0 };
  for (const delimiter of DELIMITERS) {
    const score = await scoreOf(delimiter, start);
    // If two score the same, the first one counts: tabs are rare in texts, commas are not.
    if (score > best.score) best = { delimiter, score };
  }
  return { delimiter: best.delimiter, hintBytes: 0 };
}

/**
 * How well a delimiter fits, from 0 to 4: the sum of four signs, each from 0 to 1. No sign is sure alone. Texts hold
 * commas, so a wrong delimiter may be in the first row or in all rows. But a wrong one is hardly ever in all rows
 * equally often, or beside a number.
 */
async function scoreOf(delimiter: Delimiter, start: Buffer): Promise<number> {
  const rows = await firstRows(delimiter, start);
  const [first = []] = rows;
  const isCut = (cells: string[]) => cells.length > 1;
  const shareOf = (cut: (cells: string[]) => boolean) => rows.filter(cut).length / rows.length;
  if (!rows.some(isCut)) return 0;
  const isInFirstRow = isCut(first) ? 1 : 0;
  // If it is not in the first row, that row says nothing of how many columns there are.
  const asOftenAsInFirstRow = isInFirstRow && shareOf(({ length }) => length === first.length);
  const isInRow = shareOf(isCut);
  const cutsOutPhone = hasPhoneCell(start.toString(), delimiter) ? 1 : 0;
  return isInFirstRow + asOftenAsInFirstRow + isInRow + cutsOutPhone;
}

/** The first rows of a list that hold anything. */
async function firstRows(delimiter: Delimiter, start: Buffer): Promise<string[][]> {
  const rows: string[][] = [];
  const read = await readRows([start], delimiter, (cells) => {
    if (!cells.every(isBlank)) rows.push(cells);
    return rows.length < FIRST_ROWS;
  });
  // The beginning may end within a cell.
  if (read.kind === 'open_quote') rows.push(new Array<string>(read.cells + 1).fill(''));
  return rows;
}

/**
 * Whether a cell of the first line, cut by the delimiter, is a number or the header of a phone column. Ignores
 * quotation marks: one that is never closed must hide no number.
 */
function hasPhoneCell(text: string, delimiter: Delimiter): boolean {
  const [line = ''] = text.trimStart().split(/[\r\n]/, 1);
  const cells = line.replaceAll('"', '').split(delimiter, MOST_CELLS);
  return cells.some((cell) => isPhoneHeader(cell) || looksLikeNumber(cell, undefined));
}
