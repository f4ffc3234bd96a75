import { type ListColumns, OWN_HEADER } from './columns.ts';

/** Where a row's own cells begin: our list of wrong rows has two cells of ours in front. */
export function ownCellsBegin(columns: ListColumns): number {
  return columns.reason === undefined ? 0 : OWN_HEADER.length;
}

/**
 * The names of a list's own columns, at least as far as the phone. Columns without one get names that we understand if the
 * file comes back.
 */
export function ownHeader(columns: ListColumns): string[] {
  const { header, phone, width } = columns;
  const begin = ownCellsBegin(columns);
  const named = (index: number) => (index === phone ? 'phone' : String(index + 1 - begin));
  const length = header ? Math.max(header.length, phone + 1) : width;
  return Array.from({ length }, (_, index) => header?.[index] ?? named(index)).slice(begin);
}
