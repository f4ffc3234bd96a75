import { defined } from '../../ledger/model/defined.ts';
import { isBlank } from '../texts/message-text.ts';
import type { Country } from '../texts/phone.ts';
import { findColumns, type Row } from './columns.ts';
import { decode } from './decode.ts';
import { findDelimiter } from './find-delimiter.ts';
import { MOST_BYTES } from './list-limits.ts';
import { readNumberCell } from './number-cell.ts';
import { ownCellsBegin, ownHeader } from './own-columns.ts';
import { FIRST_ROWS, readRows, withoutHint } from './rows.ts';

/** The most columns that we look for again: we do so in the bot's own thread, and finding the phone's takes long. */
const MOST_OWN_COLUMNS = 250;

export type OwnColumns = NonNullable<Awaited<ReturnType<typeof readAgain>>>;

/**
 * Reads some rows of a list that was checked before, for its own columns. Undefined if they can't be found as they were
 * then, since somebody may have changed the file, or if they are too many.
 */
export async function readAgain(
  bytes: Uint8Array,
  wanted: ReadonlySet<number>,
  asked: { country?: Country | undefined; phoneColumn?: number | undefined },
) {
  const decoded = await decode(bytes);
  if ('code' in decoded) return undefined;
  const [start = Buffer.alloc(0)] = decoded.pieces();
  const { delimiter, hintBytes } = await findDelimiter(start);
  const first: Row[] = [];
  const rows = new Map<number, string[]>();
  const read = await readRows(withoutHint(hintBytes, decoded.pieces()), delimiter, (cells, row) => {
    if (first.length < FIRST_ROWS && !cells.every(isBlank)) first.push({ cells, row });
    if (wanted.has(row)) rows.set(row, cells);
    return cells.length <= MOST_OWN_COLUMNS;
  });
  if (read.kind !== 'end' || first.length === 0) return undefined;
  const columns = findColumns(first, defined(asked));
  if ('code' in columns || 'kind' in columns) return undefined;
  const header = ownHeader(columns, columns.width);
  // Only rows that are shorter than the header have that many cells: written in full, they could fill the memory.
  if (header.length * wanted.size > MOST_BYTES) return undefined;
  const begin = ownCellsBegin(columns);

  /** Compares the characters first: to read a number takes ten times as long. */
  function holds(cell = '', e164: string): boolean {
    if (cell.replace(/[^+\d]/g, '') === e164) return true;
    const read = readNumberCell(cell, asked.country);
    return read.kind === 'number' && read.e164 === e164;
  }

  return {
    header,
    /**
     * The own cells of the row, as many as the header has, with `number` in the column of the phone. If the row is another
     * recipient's now, that is the only one.
     */
    cellsOf(row: number, e164: string, number: string): string[] {
      const cells = rows.get(row) ?? [];
      const isSame = holds(cells[columns.phone], e164);
      return header.map((_, index) => {
        const column = begin + index;
        return column === columns.phone ? number : (isSame && cells[column]) || '';
      });
    },
  };
}
