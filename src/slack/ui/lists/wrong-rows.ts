import type { KnownBlock } from '@slack/types';
import type { ListSummary, RowProblem } from '../../../core/lists/list.ts';
import type { NothingToSend } from '../../../core/lists/row-pass.ts';
import { context, table } from '../blocks.ts';
import { oneLine, sizeInJson } from '../safe-text.ts';
import { capitalised, count, present } from '../words.ts';
import { splitReason } from './words-in-files.ts';

/** What became of the file with all wrong rows. */
export type WrongFile = 'delivered' | 'failed';

export const WRONG_ROWS_FILE = 'wrong-rows.csv';

/** The longest reason that we show, in UTF-16 units. A reason may quote its row. */
const REASON_MAX = 150;
/** Room for the table without its header, and the size of a cell without its text, in characters of JSON. */
const TABLE_ROOM = 3600;
const CELL_SIZE = 31;
const NAMED_AT_FIELD = 3;

const NAMES: { [problem in RowProblem]: { one: string; more: string } } = {
  wrong_number: { one: 'wrong number', more: 'wrong numbers' },
  duplicate: { one: 'duplicate', more: 'duplicates' },
  empty_placeholder: { one: 'empty placeholder', more: 'empty placeholders' },
  too_long: { one: 'too long', more: 'too long' },
};

/** What to do about a row whose reason does not say it. */
const FIXES: { [problem in RowProblem]: string } = {
  wrong_number: 'correct it, with + and the country code',
  duplicate: 'none needed: this person gets one message',
  empty_placeholder: 'fill it in, or write {name|there}',
  too_long: 'shorten it',
};

type WrongCounts = { [problem in RowProblem]?: number };

/** How many rows of a list get no message. */
export function wrongTotal(wrong: WrongCounts): number {
  return Object.values(wrong).reduce((sum, each) => sum + each, 0);
}

/** `12 wrong numbers, 3 duplicates` */
export function wrongInClasses(wrong: WrongCounts): string {
  const classes = Object.entries(NAMES).map(([problem, { one, more }]) => {
    const rows = wrong[problem as RowProblem] ?? 0;
    return rows > 0 && `${count(rows)} ${rows === 1 ? one : more}`;
  });
  return present(...classes).join(', ');
}

/** Some wrong rows, as the spreadsheet numbers them, with what to do about each. `file`: the one with all of them. */
export function wrongRowBlocks({ wrong, wrongRows }: ListSummary, file?: WrongFile): KnownBlock[] {
  const total = wrongTotal(wrong);
  if (total === 0) return [];
  const shown: string[][] = [];
  let room = TABLE_ROOM;
  for (const { row, problem, reason } of wrongRows) {
    const { problem: why, fix = FIXES[problem] } = splitReason(reason);
    const cells = [count(row), oneLine(capitalised(why), REASON_MAX), capitalised(fix)];
    room -= sizeInJson(cells.join('')) + cells.length * CELL_SIZE;
    if (room < 0) break;
    shown.push(cells);
  }
  const areAllShown = shown.length === total;
  const some = areAllShown ? 'Skipped rows:' : `${count(shown.length)} of ${count(total)} skipped rows:`;
  const all = areAllShown ? `the skipped row${total === 1 ? '' : 's'}` : `all ${count(total)} skipped rows`;
  return present(
    context(some),
    table(['Row', 'Problem', 'Fix'], shown),
    file && context(`${whereWrongRowsAre(file, all)} You can send the other rows now.`),
  );
}

/** We can send, or import, no row of a list. Plain text for the list's field. */
export function nothingToSend(
  { rows, wrong, wrongRows }: NothingToSend,
  file: WrongFile,
  what: 'sent' | 'imported' = 'sent',
): string {
  const none =
    rows === 1
      ? `The one row of this list cannot be ${what}`
      : `None of the ${count(rows)} rows can be ${what}`;
  const named = wrongRows
    .slice(0, NAMED_AT_FIELD)
    .map(({ row, reason }) => `Row ${count(row)}: ${oneLine(reason, REASON_MAX)}.`);
  return [`${none}: ${wrongInClasses(wrong)}.`, ...named, whereWrongRowsAre(file, 'all rows')].join(' ');
}

/** `rows`: what the file holds, such as `all rows`. */
export function whereWrongRowsAre(file: WrongFile, rows: string): string {
  if (file === 'failed') return `Slack did not take the file with ${rows}.`;
  return `We sent you ${rows} as ${WRONG_ROWS_FILE}.`;
}
