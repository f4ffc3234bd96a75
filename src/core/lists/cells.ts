/**
 * What a cell shows in a spreadsheet: without space around it, `="0815"` as `0815`, `'+44…` as `+44…`. The apostrophe,
 * also in our own files, keeps a spreadsheet from taking the number for a formula.
 */
export function shownIn(cell: string | undefined): string {
  if (cell === undefined) return '';
  const trimmed = cell.trim();
  const isDefused = trimmed.startsWith("'") && /^'[=+\-@＝＋－＠\t\r]/.test(cell.trimStart());
  const text = isDefused ? trimmed.slice(1).trim() : trimmed;
  if (text.startsWith('="') && text.length > 2 && text.endsWith('"')) {
    return text.slice(2, -1).replaceAll('""', '"').trim();
  }
  return text;
}

/** The beginning of a cell, in one line, cut to a number of characters. */
export function clipped(cell: string, most: number): string {
  const line = cell
    .slice(0, 4 * most)
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim();
  const characters = [...line];
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : line;
}

export function quoted(cell: string): string {
  return `"${clipped(cell, 32)}"`;
}
