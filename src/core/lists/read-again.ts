import { setImmediate } from 'node:timers/promises';
import { defined } from '../../ledger/model/defined.ts';
import type { Country } from '../texts/phone.ts';
import { findColumns } from './columns.ts';
import { MOST_BYTES } from './list-limits.ts';
import { readNumberCell } from './number-cell.ts';
import { openList } from './open-list.ts';

/** The most columns that we look for again: we do so in the bot's own thread, and finding the phone's takes long. */
const MOST_OWN_COLUMNS = 100;
/** How many numbers to compare before other work gets its turn. */
const NUMBERS_AT_ONCE = 200;

export type OwnColumns = NonNullable<Awaited<ReturnType<typeof readAgain>>>;

/**
 * Reads the rows of a list that was checked before, for its own columns. `recipients`: their numbers (E.164) by row.
 * Undefined if a row does not hold its number, since somebody has changed the file, or if the columns are too many.
 */
export async function readAgain(
  bytes: Uint8Array,
  recipients: ReadonlyMap<number, string>,
  asked: { country?: Country | undefined; phoneColumn?: number | undefined },
) {
  const list = await openList(bytes);
  if ('code' in list) return undefined;
  const rows = new Map<number, string[]>();
  let mostCells = 0;
  const fault = await list.read((cells, row) => {
    if (recipients.has(row)) rows.set(row, cells);
    mostCells = Math.max(mostCells, cells.length);
    return mostCells <= MOST_OWN_COLUMNS;
  });
  if (fault || mostCells > MOST_OWN_COLUMNS) return undefined;
  const columns = findColumns(list.first, defined(asked));
  if ('code' in columns || 'kind' in columns) return undefined;
  const header = columns.ownHeader(columns.width);
  // Only rows that are shorter than the header have that many cells: written in full, they could fill the memory.
  if (header.length * recipients.size > MOST_BYTES) return undefined;
  let compared = 0;
  for (const [row, e164] of recipients) {
    if (!holds(rows.get(row)?.[columns.phone], e164, asked.country)) return undefined;
    compared += 1;
    if (compared % NUMBERS_AT_ONCE === 0) await setImmediate();
  }

  return {
    header,
    /** A recipient's own cells, as many as the header has, with `number` in the column of the phone. */
    cellsOf(row: number, number: string): string[] {
      const cells = rows.get(row)?.with(columns.phone, number);
      return header.map((_, index) => cells?.[columns.ours + index] ?? '');
    },
  };
}

/** Compares the characters first: to read a number takes ten times as long. */
function holds(cell: string | undefined, e164: string, country: Country | undefined): boolean {
  if (cell?.replace(/[^+\d]/g, '') === e164) return true;
  const read = readNumberCell(cell, country);
  return 'e164' in read && read.e164 === e164;
}
