import { isBlank } from '../texts/message-text.ts';
import type { Row } from './columns.ts';
import { decode } from './decode.ts';
import { findDelimiter } from './find-delimiter.ts';
import type { ListFault } from './list.ts';
import { type OnRow, readRows } from './rows.ts';

/** We find the columns of a list by this many first rows. */
const FIRST_ROWS = 50;

/** A list whose encoding and delimiter we know. */
export type OpenList = Exclude<Awaited<ReturnType<typeof openList>>, ListFault>;

/** Finds the encoding and the delimiter of a list, and reads its first rows. */
export async function openList(bytes: Uint8Array) {
  const decoded = await decode(bytes);
  if ('code' in decoded) return decoded;
  const { pieces } = decoded;
  const [start = Buffer.alloc(0)] = pieces();
  const { delimiter, hintBytes } = await findDelimiter(start);

  async function read(onRow: OnRow): Promise<ListFault | undefined> {
    const end = await readRows(withoutHint(hintBytes, pieces()), delimiter, onRow);
    if (end.kind === 'too_many') return { code: 'too_large' };
    return end.kind === 'open_quote' ? { code: 'open_quote', row: end.row } : undefined;
  }

  const first: Row[] = [];
  const fault = await read((cells, row) => {
    if (!cells.every(isBlank)) first.push({ cells, row });
    return first.length < FIRST_ROWS;
  });
  if (fault) return fault;
  if (first.length === 0) return { code: 'empty' } satisfies ListFault;
  return {
    delimiter,
    /** The first rows that hold anything, at least one. */
    first,
    /** Reads all rows from the first one, until `onRow` wants no more. */
    read,
  };
}

/** The pieces without the list's first `bytes`, which only name its delimiter. */
function* withoutHint(bytes: number, pieces: Iterable<Buffer>): Iterable<Buffer> {
  let left = bytes;
  for (const piece of pieces) {
    yield piece.subarray(left);
    left = 0;
  }
}
