import { setImmediate } from 'node:timers/promises';

/** A word of letters that ASCII lacks. Cyrillic and Greek words of Windows-1251 and -1253 look like this in Windows-1252. */
const FOREIGN_WORD = /(?<![\p{L}×÷])[À-ÿ¨²³¸¿]{3,}(?![\p{L}×÷])/gu;
/** A letter of ASCII beside another one, as in words of Western languages. */
const WESTERN_WORD = /[A-Za-z][À-ÿ]|[À-ÿ][A-Za-z]/g;
/** Signs, and the letters that Western languages add to ASCII. People write these in a row to try an encoding: `åäö`. */
const WESTERN_LETTERS = [
  '¨²³¸¿×÷',
  'äöüß',
  'åäöæøé',
  'áéíóúýæöðþ',
  'áéíóúüñç¿',
  'áâãàçéêíóôõúü',
  'àâæçéèêëîïôùûüÿ',
  'àèéìíîòóùú',
  'àçèéíïòóúü',
  'áéëíïóöúèêü',
  'àáâãäåæ',
  'èéêë',
  'ìíîï',
  'òóôõöø',
  'ùúûü',
];

/**
 * Letters that no language has together in a word of Windows-1252. Words of Windows-1250 look like this in it. Polish ł
 * and ą become ³ and ¹. Czech and Croatian č, ě, ů, ř and ć become è, ì, ù, ø and æ. Romanian ţ and ă become þ and ã.
 * Beside è, ì and ù, an á or í alone proves nothing: some languages mark tones by both (Yoruba `Bùsáyò`).
 */
const CENTRAL_EUROPEAN = [
  // Not after m: m³ is a unit.
  /(?!m)\p{Ll}[³¹]\p{Ll}/u,
  /[èìùø]\p{L}{0,9}[šž]|[šž]\p{L}{0,9}[èìùø]/iu,
  /[èìù]\p{L}{0,9}ý/iu,
  /[áíý]è[aeiouáéíóú]|[aeiou]ø[áíý]/iu,
  /[èìùø]\p{L}{0,9}ová(?!\p{L})/iu,
  /[èšž]\p{L}{0,9}iæ/iu,
  /þ\p{L}{0,9}ã|ã\p{L}{0,9}þ/iu,
];

/**
 * Signs within words, and some capitals behind small letters. A Mac's words look like this in Windows-1252: its ä, å, é
 * and ü become Š, Œ, Ž and Ÿ, its á, à and ß become ‡, ˆ and §. In MS-DOS, ä and é become „ and ‚.
 */
const OF_MAC_OR_DOS = /\p{L}[ŠŒŽŸ†‡ˆ˜‹›„‚§]\p{Ll}|\p{Ll}[ŠŒŽŸˆ˜]/u;

/** Whether the letters show that a text is not in Windows-1252, though we read it so. A single foreign word is no proof. */
export async function hasForeignLetters(pieces: Iterable<Buffer>): Promise<boolean> {
  /** The first different ones. */
  const words = new Set<string>();
  let foreign = 0;
  let western = 0;
  for (const piece of pieces) {
    await setImmediate();
    const text = piece.toString();
    if ([OF_MAC_OR_DOS, ...CENTRAL_EUROPEAN].some((part) => part.test(text))) return true;
    for (const [match] of text.matchAll(FOREIGN_WORD)) {
      const word = match.toLowerCase();
      if (isOfOneLanguage(word)) continue;
      if (words.size < 2) words.add(word);
      foreign += 1;
    }
    western += text.match(WESTERN_WORD)?.length ?? 0;
  }
  return words.size > 1 && foreign > 1 + 2 * western;
}

function isOfOneLanguage(word: string): boolean {
  return WESTERN_LETTERS.some((letters) => [...word].every((letter) => letters.includes(letter)));
}
