import { countCharacters, isBlank } from '../texts/message-text.ts';
import type { Country, ReadNumber } from '../texts/phone.ts';
import { shownIn } from './cells.ts';
import type { ListColumns } from './columns.ts';
import type { Delimiter } from './find-delimiter.ts';
import { readNumberCell } from './number-cell.ts';
import { looksLikeNumber } from './number-like.ts';
import type { RowFault, RowWords } from './row-words.ts';
import { fill, type Placeholder, placeholdersOf, type TextPlan } from './template.ts';

export interface RowRules {
  columns: ListColumns;
  plan: TextPlan;
  country?: Country;
  mostCharacters: number;
  words: RowWords;
  delimiter: Delimiter;
  /** The cells of the shortest of the first rows that have a text. */
  fewestCells: number;
  /** The list itself, if it was pasted. Without a header, a row with several numbers is a line of numbers. */
  pasted?: string;
}

/**
 * Says of one row after the other why it gets no message, or its number and the values for its text. The next row
 * overwrites `values`. `accepted`: the rows so far, by number.
 */
export function createClassifier(rules: RowRules, accepted: ReadonlyMap<string, number>) {
  const { columns, plan, country, mostCharacters, delimiter, fewestCells } = rules;
  const { parts, columns: used } = plan;
  const placeholders = placeholdersOf(plan);
  const { duplicate, known_duplicate: known } = rules.words;
  const duplicateReasons = [duplicate.slice(0, duplicate.indexOf('{row}')), known];
  /** The pasted list, if it has no header. Several spaces behind a delimiter are one. */
  const lines = columns.header
    ? undefined
    : rules.pasted?.replaceAll(new RegExp(`${delimiter} +`, 'g'), `${delimiter} `);
  const { header } = columns;
  /** Columns up to the last one that the header names or that we use. Spreadsheets often add empty ones. */
  const width = header
    ? Math.max(
        header.findLastIndex((name) => !isBlank(name)),
        columns.phone,
        ...used,
      ) + 1
    : Number.POSITIVE_INFINITY;
  const usesAfter = used.some((column) => column > columns.phone);
  const usesBefore = used.some((column) => column < columns.phone);
  /** The column whose cell is the whole text of a line. */
  const [ownText = 0] = lines !== undefined && parts.length === 1 ? used : [];
  const values: string[] = used.map(() => '');

  /** Counts the numbers in a row. A placeholder's value may look like a number, so it only counts with a plus. */
  function countNumbers(cells: string[]): number {
    const others = cells.filter((cell, index) => {
      if (index === columns.phone || (used.includes(index) && !shownIn(cell).startsWith('+'))) return false;
      return looksLikeNumber(cell, country);
    });
    return 1 + others.length;
  }

  /**
   * Whether the text of a pasted line goes on in its next cell. People put a space behind a comma in a text. The space
   * counts if there is none before the text, or if another text has no such cell. Otherwise it may be a column that nobody
   * uses, as are the cells of a spreadsheet, with tabs between them.
   */
  function isTextCut(cells: string[]): boolean {
    if (lines === undefined || ownText <= columns.phone || delimiter === '\t') return false;
    const [before = '', text = '', next = ''] = cells.slice(ownText - 1);
    if (isBlank(text) || isBlank(next)) return false;
    const isWritten = (space: string) =>
      [before, `${before}"`].some((cell) =>
        lines.includes(`${cell}${delimiter}${space}${text}${delimiter} ${next}`),
      );
    return isWritten('') || (ownText + 1 >= fewestCells && isWritten(' '));
  }

  /**
   * Whether a row has more cells than the header names, and a cell that we use may be torn. A number in its place shows that
   * no cell before it is, unless another number is behind it: `Call us, +44 20 …,+44 7700 …`.
   */
  function isTorn(cells: string[]): boolean {
    const behind = cells.slice(width);
    if (usesAfter && !behind.every(isBlank)) return true;
    return usesBefore && behind.some((cell) => looksLikeNumber(cell, country));
  }

  /** What is wrong with the text that a row gets; undefined if nothing is. Leaves the row's values in `values`. */
  function faultOfText(cells: string[]): RowFault | undefined {
    if (isTorn(cells)) return { why: 'torn' };
    if (isTextCut(cells)) return { why: 'cut' };
    for (const [index, column] of used.entries()) {
      const value = shownIn(cells[column]);
      values[index] = isBlank(value) ? '' : value;
    }
    const empty = placeholders.filter(
      ({ value, fallback }) => values[value] === '' && fallback === undefined,
    );
    if (empty.length > 0) return emptyFault(empty);
    const text = fill(parts, values, 0);
    if (isBlank(text)) return { why: 'no_message' };
    // A character has one code unit at least.
    const characters = text.length > mostCharacters ? countCharacters(text) : 0;
    if (characters <= mostCharacters) return undefined;
    return { why: 'long_message', characters: figure(characters), limit: figure(mostCharacters) };
  }

  return (cells: string[]): RowFault | { number: ReadNumber; values: string[] } => {
    const numbers = lines === undefined ? 1 : countNumbers(cells);
    if (numbers > 1) return { why: 'numbers_in_line', numbers: figure(numbers) };
    const number = readNumberCell(cells[columns.phone], country);
    if ('why' in number) return number;
    const same = accepted.get(number.digits);
    if (same !== undefined) return { why: 'duplicate', row: figure(same) };
    // The row that it repeats was in the list before this one, and may be sent by now.
    const reason = columns.reason === undefined ? '' : (cells[columns.reason] ?? '');
    if (duplicateReasons.some((words) => reason.startsWith(words))) return { why: 'known_duplicate' };
    return faultOfText(cells) ?? { number, values };
  };
}

function emptyFault(empty: Placeholder[]): RowFault {
  const names = [...new Set(empty.map(({ name }) => name))];
  if (names.includes('')) return { why: 'no_message' };
  const why = names.length === 1 ? 'empty_placeholder' : 'empty_placeholders';
  return { why, names: names.map((name) => `{${name}}`).join(', ') };
}

function figure(count: number): string {
  return count.toLocaleString('en');
}
