import type { KnownBlock } from '@slack/types';
import type { NothingToSend, RowProblem, WrongRow } from '../../core/lists/list.ts';
import { context, typed } from './blocks.ts';
import { oneLine, sizeInJson } from './safe-text.ts';
import { count } from './words.ts';

/** What became of the file with all wrong rows. */
export type WrongFile = 'delivered' | 'failed';

/** The name of that file. */
export const WRONG_ROWS_FILE = 'wrong-rows.csv';

/** A reason, which may quote its row, in UTF-16 units. */
const REASON_MAX = 150;
/** All lines together, in characters of JSON. */
const LINES_ROOM = 2400;
/** How many rows the sentence at a field names. */
const NAMED_AT_FIELD = 3;

const NAMES: { [problem in RowProblem]: { one: string; more: string } } = {
  wrong_number: { one: 'wrong number', more: 'wrong numbers' },
  duplicate: { one: 'duplicate', more: 'duplicates' },
  empty_placeholder: { one: 'empty placeholder', more: 'empty placeholders' },
  too_long: { one: 'too long', more: 'too long' },
};

/** Of a list: how many rows in each class of problem. */
type WrongCounts = { [problem in RowProblem]?: number };

/** How many rows of a list get no message. */
export function wrongTotal(wrong: WrongCounts): number {
  return Object.values(wrong).reduce((sum, each) => sum + each, 0);
}

/** `12 wrong numbers, 3 duplicates` */
export function wrongInClasses(wrong: WrongCounts): string {
  return Object.entries(NAMES)
    .map(([problem, { one, more }]) => {
      const rows = wrong[problem as RowProblem] ?? 0;
      return rows === 0 ? '' : `${count(rows)} ${rows === 1 ? one : more}`;
    })
    .filter((words) => words !== '')
    .join(', ');
}

/** The first wrong rows with their reasons, as the spreadsheet numbers them, and where all of them are. */
export function wrongRowBlocks(
  wrong: WrongCounts,
  rows: readonly WrongRow[],
  file?: WrongFile,
): KnownBlock[] {
  const total = wrongTotal(wrong);
  if (total === 0) return [];
  const lines: string[] = [];
  let room = LINES_ROOM;
  for (const row of rows) {
    const line = lineOf(row);
    room -= sizeInJson(`${line}\n`);
    if (room < 0) break;
    lines.push(line);
  }
  const shown = lines.length === total ? 'Skipped rows:' : `The first ${count(lines.length)} skipped rows:`;
  return [
    context(shown),
    typed(lines.join('\n')),
    ...(file === undefined ? [] : [context(whereAllAre(file))]),
  ];
}

function lineOf({ row, reason }: WrongRow): string {
  return `Row ${count(row)}: ${oneLine(reason, REASON_MAX)}`;
}

function whereAllAre(file: WrongFile): string {
  return file === 'delivered'
    ? `We sent you these rows as \`${WRONG_ROWS_FILE}\`. You can send the rest now.`
    : 'Slack did not take the file with all of them. You can send the rest now.';
}

/** No row can be sent: as plain text for the list's field. */
export function nothingToSend({ rows, wrong, wrongRows }: NothingToSend, file: WrongFile): string {
  const none =
    rows === 1 ? 'The one row of this list cannot be sent' : `None of the ${count(rows)} rows can be sent`;
  const named = wrongRows.slice(0, NAMED_AT_FIELD).map((row) => `${lineOf(row)}.`);
  const where =
    file === 'delivered'
      ? `We sent you all of them as ${WRONG_ROWS_FILE}.`
      : 'Slack did not take the file with all of them.';
  return [`${none}: ${wrongInClasses(wrong)}.`, ...named, where].join(' ');
}
