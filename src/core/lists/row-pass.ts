import { countCharacters, isBlank } from '../texts/message-text.ts';
import type { Country, ReadNumber } from '../texts/phone.ts';
import { shownIn } from './cells.ts';
import type { ListColumns } from './columns.ts';
import type { RowProblem } from './list.ts';
import { readNumberCell } from './number-cell.ts';
import { looksLikeNumber } from './number-like.ts';
import { inWords, type RowFault, type RowWords } from './row-words.ts';
import { createListTally } from './tally.ts';
import { fill, type Placeholder, type TextPlan } from './template.ts';
import { createWrongRows } from './wrong-rows.ts';

export type RowPass = ReturnType<typeof createRowPass>;

/** Classifies each row of a list. For rows to send, it keeps what their messages need. */
export function createRowPass(options: {
  columns: ListColumns;
  plan: TextPlan;
  country?: Country;
  mostCharacters: number;
  words: RowWords;
  /** The list was pasted: if it has no header, a row with several numbers is a line of numbers. */
  isPasted: boolean;
}) {
  const { columns, plan, country, mostCharacters } = options;
  const { parts, columns: used } = plan;
  const placeholders = parts.filter((part) => typeof part !== 'string');
  const wrong = createWrongRows(columns, used.includes(columns.phone));
  /** Row by number, in the list's order. */
  const accepted = new Map<string, number>();
  /** The values of the accepted rows, one row's after the other's: an array for each would take far more room. */
  const values: string[] = [];
  const countries: (string | undefined)[] = [];
  /** Numbers in no known range. */
  const unlikely = new Set<string>();
  const leftOut = new Set<string>();
  const own: string[] = used.map(() => '');
  const { duplicate, known_duplicate: known } = options.words;
  const duplicateReasons = [duplicate.slice(0, duplicate.indexOf('{row}')), known];
  const isLine = options.isPasted && !columns.header;
  /** Set if we use a column after the number. A number in its place shows that no cell before it is torn. */
  const tearsAt = used.some((column) => column > columns.phone) ? columns.header?.length : undefined;
  let rows = 0;

  /** Returns the number's digits where the row may get a message. */
  function take(cells: string[], row: number): string | undefined {
    rows += 1;
    const read = classify(cells);
    if ('problem' in read) {
      wrong.add(cells, { row, problem: read.problem, reason: inWords(options.words, read.fault) });
      return undefined;
    }
    const { digits, countryName, warning } = read.number;
    if (warning) unlikely.add(digits);
    accepted.set(digits, row);
    for (const value of own) values.push(value);
    countries.push(countryName);
    return digits;
  }

  /** Also leaves the row's values in `own`. */
  function classify(cells: string[]): { problem: RowProblem; fault: RowFault } | { number: ReadNumber } {
    const numbers = isLine ? countNumbers(cells) : 1;
    if (numbers > 1) {
      return { problem: 'wrong_number', fault: { why: 'numbers_in_line', numbers: figure(numbers) } };
    }
    const number = readNumberCell(cells[columns.phone], country);
    if (number.kind === 'wrong') return { problem: 'wrong_number', fault: number.fault };
    const same = accepted.get(number.digits);
    if (same !== undefined) return { problem: 'duplicate', fault: { why: 'duplicate', row: figure(same) } };
    // The row that it repeats was in the list before this one, and may be sent by now.
    const reason = columns.reason === undefined ? '' : (cells[columns.reason] ?? '');
    if (duplicateReasons.some((words) => reason.startsWith(words))) {
      return { problem: 'duplicate', fault: { why: 'known_duplicate' } };
    }
    if (tearsAt !== undefined && cells.some((cell, index) => index >= tearsAt && !isBlank(cell))) {
      return { problem: 'too_long', fault: { why: 'torn' } };
    }
    for (const [index, column] of used.entries()) {
      const value = shownIn(cells[column]);
      own[index] = isBlank(value) ? '' : value;
    }
    const empty = placeholders.filter(({ value, fallback }) => own[value] === '' && fallback === undefined);
    if (empty.length > 0) return { problem: 'empty_placeholder', fault: emptyFault(empty) };
    const text = fill(parts, own, 0);
    if (isBlank(text)) return { problem: 'empty_placeholder', fault: { why: 'no_message' } };
    // A character has one code unit at least.
    const characters = text.length > mostCharacters ? countCharacters(text) : 0;
    if (characters > mostCharacters) {
      const figures = { characters: figure(characters), limit: figure(mostCharacters) };
      return { problem: 'too_long', fault: { why: 'long_message', ...figures } };
    }
    return { number };
  }

  /** Counts the numbers in a row. A placeholder's value may look like a number, so it only counts with a plus. */
  function countNumbers(cells: string[]): number {
    let count = 1;
    for (const [index, cell] of cells.entries()) {
      if (index === columns.phone || (used.includes(index) && !shownIn(cell).startsWith('+'))) continue;
      if (looksLikeNumber(cell, country)) count += 1;
    }
    return count;
  }

  /** Messages in the list's order, each with its place among the accepted rows. Each is made when it is read. */
  function* filled(isLeftOut: boolean) {
    let place = 0;
    for (const [phone, row] of accepted) {
      if (leftOut.has(phone) === isLeftOut) {
        const message = { phone, row, text: fill(parts, values, place * used.length) };
        yield { message, place };
      }
      place += 1;
    }
  }

  const messages = (isLeftOut: boolean) => filled(isLeftOut).map(({ message }) => message);

  return {
    take,
    wrong,
    rows: () => rows,
    /** These numbers (their digits) get no message. */
    leaveOut(phones: string[]) {
      for (const phone of phones) leftOut.add(phone);
    },
    /** The tally of the messages to send; undefined if there are none. */
    tally() {
      const tally = createListTally();
      for (const { message, place } of filled(false)) {
        const { phone, row, text } = message;
        const isUnlikely = unlikely.has(phone);
        const number = { e164: `+${phone}`, countryName: countries[place], isUnlikely };
        const from = place * used.length;
        const hasFallback = placeholders.some(({ value }) => values[from + value] === '');
        tally.add(row, number, text, hasFallback);
      }
      const figures = tally.result();
      return figures && { toSend: accepted.size - leftOut.size, ...figures };
    },
    messages: () => messages(false),
    leftOut: () => messages(true),
    leftOutCount: () => leftOut.size,
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
