import { defined } from '../../ledger/model/defined.ts';
import { createClassifier, type RowRules } from './classify-row.ts';
import { inChunks } from './in-chunks.ts';
import { createListTally } from './list-tally.ts';
import { inWords, problemOf } from './row-words.ts';
import { fill, placeholdersOf } from './template.ts';
import { createWrongRows } from './wrong-rows.ts';

type Passed = ReturnType<ReturnType<typeof createRowPass>['result']>;

/** A list that can be sent, at least in part, in the thread that checked it. */
export type ListHere = Extract<Passed, { kind: 'list' }>;

/** A list with no row that can be sent: the wrong rows tell why. */
export type NothingToSend = Exclude<Passed, ListHere>;

/** Goes through the rows of a list, and keeps what the messages of rows to send need. */
export function createRowPass(rules: RowRules) {
  const { columns, plan, words } = rules;
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
  let rows = 0;

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
      if ('why' in read) {
        wrong.add(cells, { row, problem: problemOf(read), reason: inWords(words, read) });
        return undefined;
      }
      const { digits, countryName, noKnownRange } = read.number;
      if (noKnownRange) unlikely.add(digits);
      accepted.set(digits, row);
      for (const value of read.values) values.push(value);
      countries.push(countryName);
      return digits;
    },
    /** These numbers (their digits) get no message. */
    leaveOut(phones: string[]) {
      for (const phone of phones) leftOut.add(phone);
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
