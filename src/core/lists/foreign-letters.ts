/** A word without a letter of ASCII. Cyrillic and Greek words of Windows-1251 and -1253 look like this in Windows-1252. */
const FOREIGN_WORD = /(?<![\p{L}×÷])[À-ÿ¨²³¸¿]{3,}(?![\p{L}×÷])/gu;
/** A letter of ASCII beside another one, as in words of Western languages. */
const WESTERN_WORD = /[A-Za-z][À-ÿ]|[À-ÿ][A-Za-z]/g;

/**
 * Letters that no Western language has in one word. Words of Windows-1250 look like this in Windows-1252: Polish ł and ą
 * become ³ and ¹; Czech and Croatian letters become è, ì, ù and ø, beside letters that are the same in both; Romanian ţ
 * and ă become þ and ã.
 */
const CENTRAL_EUROPEAN = [
  /\p{Ll}[³¹]\p{Ll}/u,
  /[èìùÈÌÙ]\p{L}{0,9}[áíýšžæÁÍÝŠŽ]|[áíýšžÁÍÝŠŽ]\p{L}{0,9}[èìùÈÌÙ]/u,
  /[øØ]\p{L}{0,9}[šžŠŽ]|[šžŠŽ]\p{L}{0,9}[øØ]/u,
  /[þÞ]\p{L}{0,9}[ãÃ]|[ãÃ]\p{L}{0,9}[þÞ]/u,
];

/** Whether the letters of a text show that it is not in Windows-1252, though we read it so. One foreign word is no proof. */
export function hasForeignLetters(pieces: Iterable<Buffer>): boolean {
  let foreign = 0;
  let western = 0;
  for (const piece of pieces) {
    const text = piece.toString();
    if (CENTRAL_EUROPEAN.some((part) => part.test(text))) return true;
    foreign += text.match(FOREIGN_WORD)?.length ?? 0;
    western += text.match(WESTERN_WORD)?.length ?? 0;
  }
  return foreign > 1 + 2 * western;
}
