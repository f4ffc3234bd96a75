import { type Country, distinct, type ReadNumber, readNumber } from './phone.ts';
import { foldPhoneText, MOST_DIGITS } from './phone-text.ts';

/** A number found at the beginning of a text, and where it ends (UTF-16 index). */
export interface LeadingNumber {
  number: ReadNumber;
  end: number;
}

/** Matches a folded word that may be part of a number. */
const NUMBER_WORD = /^(?:(?:tel|sms|callto):)?[+\d./()-]+[,;:]*$/i;

/**
 * The indexes where a leading number could end: after each word with a digit, while words look like parts of a number.
 * Stops after a line break, or after a word that ends in a comma, colon, semicolon or full stop.
 */
export function numberEnds(text: string): number[] {
  const ends: number[] = [];
  let digits = 0;
  for (const match of text.matchAll(/(\S+)(\s*)/g)) {
    const [, word = '', space = ''] = match;
    const folded = foldPhoneText(word);
    if (folded !== '' && !NUMBER_WORD.test(folded)) break;
    const inWord = folded.replace(/\D/g, '').length;
    digits += inWord;
    if (digits > MOST_DIGITS && ends.length > 0) break;
    if (inWord > 0) ends.push(match.index + word.length);
    if (/[\r\n\u2028\u2029]/.test(space) || /[.,;:]$/.test(folded)) break;
  }
  return ends;
}

/**
 * All numbers in a known range that the text may begin with, shortest first, without repeats. If none is in a known
 * range: the readings of the longest beginning whose length is possible.
 */
export function leadingNumbers(text: string, defaultCountry?: Country): LeadingNumber[] {
  const found: LeadingNumber[] = [];
  for (const end of numberEnds(text)) {
    const read = readNumber(text.slice(0, end), defaultCountry);
    const numbers = read.kind === 'number' ? [read] : read.kind === 'ambiguous' ? read.readings : [];
    found.push(...numbers.map((number) => ({ number, end })));
  }
  const known = found.filter(({ number }) => !number.noKnownRange);
  if (known.length > 0) {
    const numbers = distinct(known.map(({ number }) => number));
    return known.filter(({ number }) => numbers.includes(number));
  }
  const longest = found.at(-1)?.end;
  return found.filter(({ end }) => end === longest);
}
