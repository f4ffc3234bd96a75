/**
 * The known word that a person probably meant by an unknown one (`blance` → `balance`, `bal` → `balance`); undefined if
 * none is near. Of equally near words, one with the same first letter wins, then the first in the list.
 */
export function suggestWord<Word extends string>(typed: string, words: readonly Word[]): Word | undefined {
  const wanted = typed.toLowerCase();
  if (wanted.length < 2) return undefined;
  let best: Word | undefined;
  let bestScore = Number.POSITIVE_INFINITY;
  for (const word of words) {
    const distance = word.startsWith(wanted) ? 1 : editDistance(wanted, word);
    if (distance > Math.max(1, Math.floor(Math.max(wanted.length, word.length) / 3))) continue;
    const score = distance + (word[0] === wanted[0] ? 0 : 0.5);
    if (score < bestScore) {
      best = word;
      bestScore = score;
    }
  }
  return best;
}

/** Insertions, deletions, replacements and swaps of neighbours that make one word of the other. */
function editDistance(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= from.length; row += 1) {
    const line = [row];
    rows.push(line);
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      const swapped = row > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      line.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (same ? 0 : 1),
          swapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return at(from.length, to.length);
}
