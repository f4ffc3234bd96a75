import { type ListColumns, OWN_HEADER } from './columns.ts';

/** Where a row's own cells begin: our list of wrong rows has two cells of ours in front. */
export function ownCellsBegin({ reason }: Pick<ListColumns, 'reason'>): number {
  return reason === undefined ? 0 : OWN_HEADER.length;
}

/**
 * The names of a list's own columns: those that its header names, and `least` columns of the list. Columns without a name
 * get names that we understand if the file comes back.
 */
export function ownHeader({ header, width, phone, ...columns }: ListColumns, least: number): string[] {
  const begin = ownCellsBegin(columns);
  const named = (index: number) => (index === phone ? 'phone' : String(index + 1 - begin));
  const length = header ? Math.max(header.length, least) : width;
  return Array.from({ length }, (_, index) => header?.[index] ?? named(index)).slice(begin);
}
