/** Letters that Unicode does not take apart into a base and a mark. */
const LETTERS: { [letter: string]: string } = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ı: 'i' };

/**
 * A column's name without the differences that people make when they write it again: case, spaces, `_`, `-`, accents,
 * Unicode form. Marks that are part of a script's spelling stay.
 */
export function foldName(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036F\s\p{Cf}_-]/gu, '')
    .replace(/[ßæœøłđı]/g, (letter) => LETTERS[letter] ?? letter);
}

/** The same without punctuation: `Tel.-Nr.` → `telnr`. */
export function foldHeader(name: string): string {
  return foldName(name).replace(/[^\p{L}\p{M}\p{N}]/gu, '');
}
