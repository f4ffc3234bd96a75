import { defined } from '../../ledger/model/defined.ts';
import type { ReadNumber } from '../texts/phone.ts';
import { createClassifier, type RowRules } from './classify-row.ts';
import { inChunks } from './in-chunks.ts';
import { createListTally } from './list-tally.ts';
import { looksLikeNumber } from './number-like.ts';
import { inWords, problemOf, type RowFault } from './row-words.ts';
import { fill, placeholdersOf } from './template.ts';
import { createWrongRows } from './wrong-rows.ts';

type Passed = ReturnType<ReturnType<typeof createRowPass>['result']>;

/** A list that can be sent, at least in part, in the thread that checked it. */
export type ListHere = Extract<Passed, { kind: 'list' }>;

/** A list with no row that can be sent: the wrong rows tell why. */
export type NothingToSend = Exclude<Passed, ListHere>;

/** Goes through the rows of a list, and keeps what the messages of rows to send need. */
export function createRowPass(rules: RowRules) {
  const { columns, plan, words, country, fewestCells } = rules;
  const { parts, columns: used } = plan;
  const wrong = createWrongRows(columns, used.includes(columns.phone));
  /** Row by number, in the list's order. */
  const accepted = new Map<string, number>();
  /** The values of the accepted rows, one row's after the other's: an array for each would take far more room. */
  const values: string[] = [];
  const countries: (string | undefined)[] = [];
  /** Numbers in no known range. */
  const unlikely = new Set<string>();
  const leftOut = new Set<string>();
  const classify = createClassifier(rules, accepted);
  /** The column whose cell is the whole text of a row. */
  const [ownText = columns.phone] = parts.length === 1 ? used : [];
  let rows = 0;
  /** The row before. `digits`: if it may get a message. `isRest`: if it may be a line of another row's text. */
  let before: { cells: string[]; row: number; digits?: string; isRest: boolean } | undefined;

  /** A row of few cells and without a number. Quotation marks would have kept such a line in its text. */
  function isRest(cells: string[]): boolean {
    const isShort = cells.length < (columns.header?.length ?? fewestCells);
    return isShort && !cells.some((cell) => looksLikeNumber(cell, country));
  }

  function refuse(cells: string[], row: number, fault: RowFault): void {
    wrong.add(cells, { row, problem: problemOf(fault), reason: inWords(words, fault) });
  }

  function accept({ digits, countryName, noKnownRange }: ReadNumber, read: string[], row: number): void {
    if (noKnownRange) unlikely.add(digits);
    accepted.set(digits, row);
    for (const value of read) values.push(value);
    countries.push(countryName);
  }

  /** Takes back the row that was accepted last. */
  function takeBack(digits: string): void {
    unlikely.delete(digits);
    accepted.delete(digits);
    values.length -= used.length;
    countries.pop();
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

  /** The tally of the messages to send; undefined if there are none. */
  function tallied() {
    const tally = createListTally();
    const placeholders = placeholdersOf(plan);
    for (const { message, place } of filled(false)) {
      tally.add(message, {
        countryName: countries[place],
        isUnlikely: unlikely.has(message.phone),
        hasFallback: placeholders.some(({ value }) => values[place * used.length + value] === ''),
      });
    }
    return tally.result();
  }

  return {
    /** Returns the number's digits if the row may get a message. */
    take(cells: string[], row: number): string | undefined {
      rows += 1;
      const read = classify(cells);
      const above = before;
      before = { cells, row, isRest: 'why' in read && isRest(cells) };
      if (before.isRest && ownText > columns.phone && above?.digits !== undefined) {
        takeBack(above.digits);
        refuse(above.cells, above.row, { why: 'broken' });
      }
      if ('why' in read) return void refuse(cells, row, read);
      if (above?.isRest && ownText < columns.phone) return void refuse(cells, row, { why: 'broken' });
      accept(read.number, read.values, row);
      before.digits = read.number.digits;
      return before.digits;
    },
    /** These numbers (their digits) get no message. */
    leaveOut(phones: string[]) {
      for (const phone of phones) if (accepted.has(phone)) leftOut.add(phone);
    },
    /** What became of all rows. The messages come in chunks of this size, and each is made when it is read. */
    result(chunkSize: number) {
      const { wrongCsv, ...wrongs } = wrong.result();
      const figures = tallied();
      if (!figures) {
        const csv = wrongCsv ?? new Uint8Array();
        return { kind: 'nothing' as const, rows, ...wrongs, wrongCsv: csv, leftOut: leftOut.size };
      }
      const chunks = (isLeftOut: boolean) =>
        inChunks(
          filled(isLeftOut).map(({ message }) => message),
          chunkSize,
        );
      return {
        kind: 'list' as const,
        /** Of the messages that will be sent. */
        summary: { rows, toSend: accepted.size - leftOut.size, ...figures, ...wrongs },
        /** All wrong rows as CSV in UTF-8: row, reason, then their cells; missing if there is none. */
        ...defined({ wrongCsv }),
        chunks: () => chunks(false),
        /** The messages that `leaveOut` took out. */
        leftOut: () => chunks(true),
      };
    },
  };
}
