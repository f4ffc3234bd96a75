import { defined } from '../../ledger/model/defined.ts';
import { isBlank } from '../texts/message-text.ts';
import type { RowRules } from './classify-row.ts';
import { findColumns } from './columns.ts';
import { type ColumnQuestion, type ListInput, type ListProblem, problemAt, type SourceKind } from './list.ts';
import { type OpenList, openList } from './open-list.ts';
import { createRowPass } from './row-pass.ts';
import { swallowsRows } from './rows.ts';
import { planText } from './template.ts';

/** A list to check. Typed text has its emoji shortcodes expanded. A worker can take the request as it is. */
export interface CheckRequest extends Omit<ListInput, 'source' | 'leaveOut'> {
  source: SourceKind;
  bytes: Uint8Array;
}

/** How many numbers one call of `leaveOut` gets. */
const ASKED_AT_ONCE = 250;

/** Checks a list, and lets other work run in between. `onRows` gets the rows so far. `leaveOut` must not reject. */
export async function checkList(
  request: CheckRequest,
  onRows: (rows: number) => void,
  leaveOut?: ListInput['leaveOut'],
) {
  const { source } = request;
  const list = await openList(request.bytes);
  if ('code' in list) return problemAt(source, list);
  const rules = rulesOf(list, request);
  if ('kind' in rules) return rules;

  const pass = createRowPass(rules);
  let openQuote: number | undefined;
  let phones: string[] = [];
  const answers: Promise<string[]>[] = [];
  const ask = () => {
    if (leaveOut && phones.length > 0) answers.push(leaveOut(phones));
    phones = [];
  };
  const fault = await list.read((cells, row) => {
    if (row % 1000 === 0) onRows(row);
    if (row < rules.firstRow || cells.every(isBlank)) return true;
    if (swallowsRows(cells, rules)) {
      openQuote = row;
      return false;
    }
    const phone = pass.take(cells, row);
    if (phone !== undefined && phones.push(phone) >= ASKED_AT_ONCE) ask();
    return true;
  });
  if (fault) return problemAt(source, fault);
  if (openQuote !== undefined) return problemAt(source, { code: 'open_quote', row: openQuote });
  ask();
  for (const answer of await Promise.all(answers)) pass.leaveOut(answer);
  return pass.result(request.chunkSize);
}

/** Decides by the first rows what the columns are, and what each row's text is made of. */
function rulesOf(
  { first, delimiter }: OpenList,
  request: CheckRequest,
): (RowRules & { firstRow: number }) | ListProblem | ColumnQuestion {
  const { source, bytes, mostCharacters, words, country } = request;
  const columns = findColumns(first, request);
  if ('code' in columns) return problemAt(source, columns);
  if ('kind' in columns) return columns;
  const below = first.slice(columns.above);
  if (!below[0]) return problemAt(source, { code: 'empty' });
  const plan = planText(request, columns);
  if ('code' in plan) return problemAt(source, plan);
  const [ownText = 0] = plan.columns;
  const texts = below.filter(({ cells }) => !isBlank(cells[ownText] ?? ''));
  return {
    columns,
    plan,
    mostCharacters,
    words,
    delimiter,
    firstRow: below[0].row,
    fewestCells: Math.min(...texts.map(({ cells }) => cells.length)),
    ...defined({ country, pasted: source === 'pasted' ? Buffer.from(bytes).toString() : undefined }),
  };
}
