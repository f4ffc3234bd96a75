import type { Delimiter } from './find-delimiter.ts';
import { looksLikeNumber } from './number-like.ts';

/**
 * Whether a cell ends in another row than it should: its quotation mark is not closed, and a later one is taken for the
 * end. Then it is torn open in the middle of a word, or there are whole rows of the list in it.
 */
export function swallowsRows(
  cells: string[],
  list: { delimiter: Delimiter; width: number; phone: number },
): boolean {
  return cells.some((cell) => {
    if (!/[\n\r]/.test(cell)) return false;
    if (cell.startsWith('"') && cell.split('"').length % 2 === 0) return true;
    const [, ...lines] = cell.split(/\r\n|\n|\r/);
    return lines.some((line) => isRow(line.split(list.delimiter), list));
  });
}

function isRow(cells: string[], { width, phone }: { width: number; phone: number }): boolean {
  return cells.length > 1 && cells.length >= width && looksLikeNumber(cells[phone] ?? '', undefined);
}
