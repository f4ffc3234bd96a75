import type { Delimiter } from './find-delimiter.ts';
import { looksLikeNumber } from './number-like.ts';

/**
 * Whether a cell ends in another row than it should: its quotation mark is not closed, and a later one is taken for the
 * end. Then it is torn open in the middle of a word, or there are whole rows of the list in it.
 */
export function swallowsRows(
  cells: string[],
  { delimiter, width, phone }: { delimiter: Delimiter; width: number; phone: number },
): boolean {
  return cells.some((cell) => {
    if (!/[\n\r]/.test(cell)) return false;
    if (cell.startsWith('"') && cell.split('"').length % 2 === 0) return true;
    const [, ...lines] = cell.split(/\r\n|\n|\r/);
    return lines.some((line) => {
      const row = line.split(delimiter);
      return row.length > 1 && row.length >= width && looksLikeNumber(row[phone] ?? '', undefined);
    });
  });
}
