import { type ListColumns, OWN_HEADER } from './columns.ts';

/** Where a row's own cells begin: our list of wrong rows has two cells of ours in front. */
export function ownCellsBegin(columns: ListColumns): number {
  return columns.reason === undefined ? 0 : OWN_HEADER.length;
}

/** The names of a list's own columns. A list without a header gets names that we understand if the file comes back. */
export function ownHeader(columns: ListColumns): string[] {
  const named = (index: number) => (index === columns.phone ? 'phone' : String(index + 1));
  const header = columns.header ?? Array.from({ length: columns.width }, (_, index) => named(index));
  return header.slice(ownCellsBegin(columns));
}
