import { type LeadingNumber, leadingNumbers } from './leading-number.ts';
import { type Country, distinct, type ReadNumber } from './phone.ts';

/** Where a number may begin: not within a word or another number. */
const BEGINNING = /(?<![\p{L}\p{Nd}+＋])[+＋(\p{Nd}]/gu;

/** Longer than any number is written, in UTF-16 units. */
const LONGEST = 60;
/** We look at this many places at most: a text of figures alone must hold up nobody. */
const MOST_PLACES = 200;

/**
 * The numbers in a text, each once, in their order; of many only the first `most`. A number without a plus counts only if
 * its range is known: a date or a price is no number.
 */
export function numbersInText(text: string, country: Country | undefined, most: number): ReadNumber[] {
  const found: ReadNumber[] = [];
  let from = 0;
  let places = 0;
  for (const { index } of text.matchAll(BEGINNING)) {
    if (index < from) continue;
    places += 1;
    if (found.length >= most || places > MOST_PLACES) break;
    const here = numbersAt(text.slice(index, index + LONGEST), country);
    found.push(...here.map(({ number }) => number));
    from = index + Math.max(0, ...here.map(({ end }) => end));
  }
  return distinct(found).slice(0, most);
}

function numbersAt(rest: string, country: Country | undefined): LeadingNumber[] {
  // `(+44 20 7946 0958)`, `+442079460958,Ana`: the bracket is the sentence's, the comma the list's.
  const end = rest.search(/[),;|]/);
  const ways = end === -1 ? [rest] : [rest, rest.slice(0, end)];
  for (const way of ways) {
    const sure = leadingNumbers(way, country).filter(({ number }) => !(number.noKnownRange && number.added));
    if (sure.length > 0) return sure;
  }
  return [];
}
