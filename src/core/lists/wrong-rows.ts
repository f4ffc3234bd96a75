import { numberInCell } from '../texts/phone-format.ts';
import { shownIn } from './cells.ts';
import { type ListColumns, OUR_HEADER } from './columns.ts';
import { type CsvRow, createCsv } from './csv-format.ts';
import type { WrongRow } from './list.ts';

/** The most wrong rows that the preview itself shows. */
const MOST_SHOWN = 20;
const ROWS_AT_ONCE = 500;
/** A cell that holds an international number and nothing else. */
const NUMBER = /^\+[1-9](?:[ .-]?\d){6,14}$/;

/** Collects rows that get no message. `hasNumberInText`: messages hold the number's cell, so the file keeps it as it is. */
export function createWrongRows(columns: ListColumns, hasNumberInText: boolean) {
  const wrong = { wrong_number: 0, duplicate: 0, empty_placeholder: 0, too_long: 0 };
  /** The first rows of each kind. We show duplicates if there is room: nobody has to correct them. */
  const first = { toCorrect: [] as WrongRow[], duplicates: [] as WrongRow[] };
  // Not for all columns of the list: a cell without a name shows that a text was torn.
  const csv = createCsv([...OUR_HEADER, ...columns.ownHeader(columns.phone + 1)]);
  let waiting: CsvRow[] = [];

  function inFile(cell: string, column: number): string {
    if (column !== columns.phone || hasNumberInText) return cell;
    const shown = shownIn(cell);
    return NUMBER.test(shown) ? numberInCell(shown.replace(/[ .-]/g, '')) : cell;
  }

  function write(): void {
    csv.add(waiting);
    waiting = [];
  }

  return {
    add(cells: string[], row: WrongRow): void {
      wrong[row.problem] += 1;
      const alike = row.problem === 'duplicate' ? first.duplicates : first.toCorrect;
      if (alike.length < MOST_SHOWN) alike.push(row);
      waiting.push([row.row, row.reason, ...cells.map(inFile).slice(columns.ours)]);
      if (waiting.length >= ROWS_AT_ONCE) write();
    },
    /** `wrongCsv`: all of them, with their reasons, and numbers as in all files. Missing if no row is wrong. */
    result() {
      write();
      const shown = [...first.toCorrect, ...first.duplicates].slice(0, MOST_SHOWN);
      return {
        wrong,
        wrongRows: shown.sort((one, other) => one.row - other.row),
        wrongCsv: shown.length > 0 ? csv.bytes() : undefined,
      };
    },
  };
}
