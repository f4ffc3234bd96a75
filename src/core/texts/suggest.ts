/**
 * The known word that a person probably meant by an unknown one (`blance` → `balance`, `bal` → `balance`); undefined if
 * none is near. Of equally near words, one with the same first letter wins, then the first in the list.
 */
export function suggestWord<Word extends string>(typed: string, words: readonly Word[]): Word | undefined {
  const wanted = typed.toLowerCase();
  if (wanted.length < 2) return undefined;
  const distances = words.map((word) => ({
    word,
    distance: word.startsWith(wanted) ? 1 : editDistance(wanted, word),
  }));
  const near = distances.filter(({ word, distance }) => {
    const longest = Math.max(wanted.length, word.length);
    return distance <= Math.max(1, Math.floor(longest / 3));
  });
  const score = ({ word, distance }: (typeof near)[number]) => distance + (word[0] === wanted[0] ? 0 : 0.5);
  return near.sort((one, other) => score(one) - score(other))[0]?.word;
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
