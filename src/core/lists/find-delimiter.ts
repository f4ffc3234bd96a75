import { looksLikeNumber } from './number-like.ts';
import { isPhoneHeader } from './phone-headers.ts';

/** The character between the cells of a list. */
export interface Delimited {
  delimiter: Delimiter;
  /** Length of a first line `sep=;`, which is no row: it tells spreadsheets the delimiter. 0 without one. */
  hintBytes: number;
}

const DELIMITERS = ['\t', ';', ','] as const;
export type Delimiter = (typeof DELIMITERS)[number];

const HINT = /^"?sep=([,;\t])"?[^\S\r\n]*(?:\r\n|\n|\r|$)/i;
/** The most cells and rows to look at. */
const MOST_CELLS = 500;
const ROWS = 30;

/**
 * Finds the delimiter by the beginning of a list. Most of the first rows have it as often as the very first row. It
 * also leaves a phone number, or the header of a phone column, alone in a cell of that row. A list of one column has
 * none: it gets a comma.
 */
export function findDelimiter(start: string): Delimited {
  const hint = HINT.exec(start);
  if (hint) return { delimiter: hint[1] as Delimiter, hintBytes: Buffer.byteLength(hint[0]) };
  let delimiter: Delimiter = ',';
  let most = 0;
  for (const each of DELIMITERS) {
    const [first = 0, ...others] = countInRows(start, each);
    const rows = [first, ...others];
    const alike = rows.filter((count) => count === first).length;
    const any = rows.filter((count) => count > 0).length;
    const regular = (first > 0 ? 1 + alike / rows.length : 0) + any / rows.length;
    const score = any > 0 ? regular + (hasPhoneCell(start, each) ? 1 : 0) : 0;
    if (score > most) {
      most = score;
      delimiter = each;
    }
  }
  return { delimiter, hintBytes: 0 };
}

function hasPhoneCell(text: string, delimiter: Delimiter): boolean {
  const [row = ''] = text.trimStart().split(/[\r\n]/, 1);
  const cells = row.replaceAll('"', '').split(delimiter, MOST_CELLS);
  return cells.some((cell) => isPhoneHeader(cell) || looksLikeNumber(cell, undefined));
}

/** How often the delimiter is outside of quotes in each of the first rows that are not blank. */
function countInRows(text: string, delimiter: Delimiter): number[] {
  const counts: number[] = [];
  let count = 0;
  let quoted = false;
  let atStart = true;
  let blank = true;
  for (let index = 0; index < text.length && counts.length < ROWS; index += 1) {
    const character = text[index];
    if (quoted) {
      if (character === '"') quoted = false;
    } else if (character === '"' && (atStart || text[index - 1] === '"')) {
      quoted = true;
      blank = false;
    } else if (character === delimiter) {
      count += 1;
      atStart = true;
      continue;
    } else if (character === '\n' || character === '\r') {
      if (!blank) counts.push(count);
      count = 0;
      atStart = true;
      blank = true;
      continue;
    } else if (character !== ' ') {
      blank = false;
    }
    if (character !== ' ') atStart = false;
  }
  if (!blank && counts.length < ROWS) counts.push(count);
  return counts;
}
