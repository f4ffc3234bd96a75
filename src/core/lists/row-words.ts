import type { NumberFault } from '../texts/phone.ts';
import type { RowProblem } from './list.ts';

/** Why a row gets no message, with the values for the braces in its `RowWords`. */
export type RowFault =
  | { why: CellProblem; cell: string }
  | { why: 'not_in_country'; cell: string; country: string }
  /** `readings`: the numbers, two or more, that the cell may mean. */
  | { why: 'ambiguous'; cell: string; readings: string }
  | { why: 'blank' }
  | { why: 'numbers_in_line'; numbers: string }
  | { why: 'duplicate'; row: string }
  /** The row comes from our own file of wrong rows, whose reason column still calls it a duplicate. */
  | { why: 'known_duplicate' }
  | { why: 'no_message' }
  /** Placeholders without a value, such as `{name}`. */
  | { why: 'empty_placeholder'; names: string }
  | { why: 'empty_placeholders'; names: string }
  /** More cells than the header: a text with the delimiter in it, but without quotation marks around it. */
  | { why: 'torn' }
  /** The same in a pasted list without a header, by the space behind the delimiter. */
  | { why: 'cut' }
  /** A text of several lines without quotation marks around it: the row above or below holds the rest. */
  | { why: 'broken' }
  | { why: 'long_message'; characters: string; limit: string };

/** What is wrong with the cell that should hold a number; the last ones come from spreadsheets. */
export type CellProblem =
  | NumberFault
  | 'long_cell'
  | 'spreadsheet_error'
  /** The number's last digits are lost. */
  | 'rounded'
  | 'fraction'
  /** The number has no country code, and may have lost a 0 in front. */
  | 'lost_zero';

/**
 * The words for each fault, with its values in braces: `the same number as in row {row}`. A worker thread needs them for
 * the file of wrong rows. So they are data: functions can't be passed to a worker.
 */
export type RowWords = { [why in RowFault['why']]: string };

/** Faults of the number, or of the line that holds it. */
type NumberFaults = CellProblem | 'not_in_country' | 'ambiguous' | 'blank' | 'numbers_in_line';

/** The classes of all other faults. */
const PROBLEMS: { [why in Exclude<RowFault['why'], NumberFaults>]: RowProblem } = {
  duplicate: 'duplicate',
  known_duplicate: 'duplicate',
  no_message: 'empty_placeholder',
  empty_placeholder: 'empty_placeholder',
  empty_placeholders: 'empty_placeholder',
  torn: 'too_long',
  cut: 'too_long',
  broken: 'too_long',
  long_message: 'too_long',
};

export function problemOf({ why }: RowFault): RowProblem {
  return why in PROBLEMS ? PROBLEMS[why as keyof typeof PROBLEMS] : 'wrong_number';
}

export function inWords(words: RowWords, fault: RowFault): string {
  const figures: { [name: string]: string } = fault;
  return words[fault.why].replace(/\{(\w+)\}/g, (braces, name: string) => figures[name] ?? braces);
}
