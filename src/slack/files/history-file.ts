import type { HistoryLine } from '../../core/history/history-lines.ts';
import { createCsv, inOrder } from '../../core/lists/csv-format.ts';
import { maskNumber, numberInCell } from '../../core/texts/phone-format.ts';
import { outcomeReason, outcomeWord } from '../ui/lists/words-in-files.ts';
import { historyColumns } from '../ui/reports/history-export.ts';
import { clockOf } from './clock-of.ts';

/** Rows of one file. Memory holds one file at a time: a few megabytes. */
const ROWS_PER_FILE = 50_000;

/** A history as CSV files in UTF-8, each made when the caller asks for it. The header names the reader's time zone. */
export async function* historyFiles(
  lines: AsyncIterable<HistoryLine[]>,
  options: {
    timeZone: string;
    nameOf(user: string): Promise<string>;
    onRows(rows: number): void;
    rowsPerFile?: number;
  },
) {
  const { timeZone, nameOf, onRows, rowsPerFile = ROWS_PER_FILE } = options;
  const clock = clockOf(timeZone);
  const columns = historyColumns(clock.resolvedOptions().timeZone);
  const header = Object.values(columns);
  let csv = createCsv(header);
  let rows = 0;
  let part = 1;

  function file(isLast: boolean) {
    const name = part === 1 && isLast ? 'history.csv' : `history-${part}.csv`;
    const made = { part, name, bytes: csv.bytes(), rows, isLast };
    csv = createCsv(header);
    rows = 0;
    part += 1;
    return made;
  }

  for await (const some of lines) {
    if (some.length === 0) continue;
    // More rows come, so this part is not the last one.
    if (rows >= rowsPerFile) yield file(false);
    const cells = [];
    for (const line of some) {
      const approver = line.approved && (await nameOf(line.approved.by));
      const row = rowOf(line, { by: await nameOf(line.by), approver }, clock);
      cells.push(inOrder(columns, row));
    }
    csv.add(cells);
    rows += some.length;
    onRows(some.length);
    await new Promise(setImmediate);
  }
  if (rows > 0) yield file(true);
}

function rowOf(
  { send, channel, decidedAt, result, isWhole, approved }: HistoryLine,
  { by, approver = '' }: { by: string; approver: string | undefined },
  clock: Intl.DateTimeFormat,
) {
  const { e164, messageId = '', credits = '', at, row = '' } = result;
  return {
    decided: clock.format(decidedAt),
    channel,
    by,
    phone: e164.length < 2 ? '' : isWhole ? numberInCell(e164) : maskNumber(e164),
    outcome: outcomeWord(result),
    messageId,
    credits,
    answered: at === undefined ? '' : clock.format(at),
    // The service's words may quote the number.
    reason: isWhole || result.state !== 'rejected' ? outcomeReason(result) : '',
    row,
    reference: send,
    approver,
    asked: approved ? clock.format(approved.askedAt) : '',
  };
}
