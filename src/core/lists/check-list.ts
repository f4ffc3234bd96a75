import { defined } from '../../ledger/model/defined.ts';
import { isBlank } from '../texts/message-text.ts';
import { findColumns, type ListColumns, type Row } from './columns.ts';
import { decode } from './decode.ts';
import { type Delimiter, findDelimiter } from './find-delimiter.ts';
import { inChunks } from './in-chunks.ts';
import { type ListFault, type ListInput, type NotSendable, problemAt, type SourceKind } from './list.ts';
import { createRowPass, type RowPass } from './row-pass.ts';
import { FIRST_ROWS, readRows, swallowsRows, withoutHint } from './rows.ts';
import { readTemplate, type TextPlan, wholeCell } from './template.ts';

/** A list to check. Typed text has its emoji shortcodes expanded. A worker can take the request as it is. */
export interface CheckRequest extends Omit<ListInput, 'source' | 'leaveOut'> {
  source: SourceKind;
  bytes: Uint8Array;
}

export type CheckedHere = ReturnType<typeof resultOf>;
/** A list that can be sent, at least in part, in the thread that checked it. */
export type ListHere = Extract<CheckedHere, { kind: 'list' }>;

/** How many numbers one call of `leaveOut` gets. */
const ASKED_AT_ONCE = 250;

/** Checks a list, and lets other work run in between. `onRows` gets the rows so far. `leaveOut` must not reject. */
export async function checkList(
  request: CheckRequest,
  onRows: (rows: number) => void,
  leaveOut?: ListInput['leaveOut'],
): Promise<ListHere | NotSendable> {
  const { source } = request;
  const decoded = await decode(request.bytes);
  if ('code' in decoded) return problemAt(source, decoded);
  const [start = Buffer.alloc(0)] = decoded.pieces();
  const { delimiter, hintBytes } = await findDelimiter(start);

  let first: Row[] = [];
  let begun: Begun | undefined;
  let openQuote: number | undefined;
  let phones: string[] = [];
  const answers: Promise<string[]>[] = [];
  const ask = () => {
    if (leaveOut && phones.length > 0) answers.push(leaveOut(phones));
    phones = [];
  };
  const take = ({ pass, columns }: Extract<Begun, { pass: RowPass }>, cells: string[], row: number) => {
    if (swallowsRows(cells, { delimiter, ...columns })) {
      openQuote = row;
      return false;
    }
    const phone = pass.take(cells, row);
    if (phone !== undefined) phones.push(phone);
    if (phones.length >= ASKED_AT_ONCE) ask();
    return true;
  };
  const begin = () => {
    const now = beginPass(first, request, delimiter);
    begun = now;
    first = [];
    return 'pass' in now && now.below.every(({ cells, row }) => take(now, cells, row));
  };
  const read = await readRows(withoutHint(hintBytes, decoded.pieces()), delimiter, (cells, row) => {
    if (row % 1000 === 0) onRows(row);
    if (cells.every(isBlank)) return true;
    if (begun && 'pass' in begun) return take(begun, cells, row);
    first.push({ cells, row });
    return first.length < FIRST_ROWS || begin();
  });

  if (read.kind === 'too_many') return problemAt(source, { code: 'too_large' });
  if (read.kind === 'open_quote') return problemAt(source, { code: 'open_quote', row: read.row });
  if (!begun && first.length > 0) begin();
  if (openQuote !== undefined) return problemAt(source, { code: 'open_quote', row: openQuote });
  if (!begun) return problemAt(source, { code: 'empty' });
  if (!('pass' in begun)) return begun;
  ask();
  for (const answer of await Promise.all(answers)) begun.pass.leaveOut(answer);
  return resultOf(begun.pass, request);
}

type Begun = ReturnType<typeof beginPass>;

/** Decides by the first rows what the columns are, and what each row's text is made of. */
function beginPass(rows: Row[], request: CheckRequest, delimiter: Delimiter) {
  const { source, mostCharacters, words, country } = request;
  const columns = findColumns(rows, request);
  if ('code' in columns) return problemAt(source, columns);
  if ('kind' in columns) return columns;
  const below = rows.slice(columns.above);
  if (below.length === 0) return problemAt(source, { code: 'empty' });
  const plan = planText(request, columns);
  if ('code' in plan) return problemAt(source, plan);
  const pasted = source === 'pasted' ? Buffer.from(request.bytes).toString() : undefined;
  const [ownText = 0] = plan.columns;
  const texts = below.filter(({ cells }) => !isBlank(cells[ownText] ?? ''));
  const fewestCells = Math.min(...texts.map(({ cells }) => cells.length));
  const rules = { columns, plan, mostCharacters, words, delimiter, fewestCells };
  const pass = createRowPass({ ...rules, ...defined({ country, pasted }) });
  return { pass, columns, below };
}

function planText({ template, optOutText }: CheckRequest, columns: ListColumns): TextPlan | ListFault {
  if (!isBlank(template)) return readTemplate(template, columns, optOutText);
  return columns.message === undefined ? { code: 'no_message' } : wholeCell(columns.message);
}

function resultOf(pass: RowPass, { chunkSize }: CheckRequest) {
  const rows = pass.rows();
  const { wrong, wrongRows, wrongCsv } = pass.wrong.result();
  const tally = pass.tally();
  if (!tally) {
    const csv = wrongCsv ?? new Uint8Array();
    const leftOut = pass.leftOutCount();
    return { kind: 'nothing' as const, rows, wrong, wrongRows, wrongCsv: csv, leftOut };
  }
  return {
    kind: 'list' as const,
    /** Of the messages that will be sent. */
    summary: { rows, wrong, ...tally, wrongRows },
    /** All wrong rows as CSV in UTF-8: row, reason, then their cells; missing if there is none. */
    ...defined({ wrongCsv }),
    chunks: () => inChunks(pass.messages(), chunkSize),
    /** The messages that `leaveOut` took out. */
    leftOut: () => inChunks(pass.leftOut(), chunkSize),
  };
}
