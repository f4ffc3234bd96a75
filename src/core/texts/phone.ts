import type { CountryCode } from 'libphonenumber-js/max';
import { countryName } from './phone-format.ts';
import { phoneLibrary } from './phone-library.ts';
import { type DialledText, readDialled } from './phone-text.ts';

/** A country as ISO 3166-1 alpha-2, if we know its number plan. */
export type Country = CountryCode;

/** A number that can be sent to. */
export interface ReadNumber {
  kind: 'number';
  /** `+442079460958` */
  e164: string;
  /** `442079460958`: what the service takes ("Phone format": no leading 0 and no leading + is needed). */
  digits: string;
  /** Missing for numbers of no country (+800…), and if countries share a code and the range is not known. */
  country?: Country;
  /** In English. */
  countryName?: string;
  /** The number was typed without a plus and read as international: tell the person. */
  added?: true;
  /** The length is right, but no known range holds the number: tell the person, who can still send. */
  noKnownRange?: true;
}

/** Why there is no number. */
export type NumberFault =
  | (DialledText & { kind: 'problem' })['code']
  | 'no_country_code'
  | 'unknown_country'
  | 'too_short'
  | 'too_long'
  | 'wrong_length';

/** There is no number. `not_in_country`: it is none of the default country, and it names no other country. */
export type NumberProblem =
  | { kind: 'problem'; code: NumberFault }
  | { kind: 'problem'; code: 'not_in_country'; country: Country };

/** The characters may mean several numbers, so the person has to say which. */
export interface AmbiguousNumber {
  kind: 'ambiguous';
  readings: ReadNumber[];
}

/** Whether a country code is one that {@link readNumber} can take as its default. */
export function isCountry(code: string): code is Country {
  return phoneLibrary().isSupportedCountry(code);
}

/**
 * Reads one typed number.
 *
 * A number with a plus is international. We read `00…` and plain digits as international, and with a default country as
 * a number of that country, too. A reading in a known range beats one in no known range. Two different readings of the
 * same rank are ambiguous. A number that begins with one 0 needs a default country. With a default country, a number
 * without + or 00 must be in a known range, or begin with that country's code.
 */
export function readNumber(
  text: string,
  defaultCountry?: Country,
): ReadNumber | AmbiguousNumber | NumberProblem {
  const dialled = readDialled(text);
  if (dialled.kind === 'problem') return numberProblem(dialled.code);

  const [digits] = dialled.digits;
  const isInFull = dialled.plus || digits.startsWith('00');
  const isNational = !isInFull && digits.startsWith('0');
  if (isNational && !defaultCountry) return numberProblem('no_country_code');

  const ownCode = defaultCountry ? phoneLibrary().getCountryCallingCode(defaultCountry) : '';
  const inFull = (each: string) => `+${dialled.plus ? each : each.replace(/^00/, '')}`;
  const readings: ReadNumber[] = [];
  for (const each of isNational ? [] : dialled.digits) {
    const mayGuess = isInFull || each.startsWith(ownCode);
    for (const read of parseAs(inFull(each))) {
      if (read.noKnownRange && !mayGuess) continue;
      readings.push(dialled.plus ? read : { ...read, added: true });
    }
  }
  if (!dialled.plus && defaultCountry) {
    readings.push(...parseAs(digits, defaultCountry).filter(({ noKnownRange }) => !noKnownRange));
  }

  const known = readings.filter((reading) => !reading.noKnownRange);
  const [only, ...others] = distinct(known.length > 0 ? known : readings);
  if (only) return others.length > 0 ? { kind: 'ambiguous', readings: [only, ...others] } : only;

  if (isInFull || !defaultCountry) return numberProblem(lengthProblem(inFull(digits)));
  return phoneLibrary().validatePhoneNumberLength(digits, defaultCountry) === 'TOO_SHORT'
    ? numberProblem('too_short')
    : { kind: 'problem', code: 'not_in_country', country: defaultCountry };
}

/** Keeps the first of the readings that are the same number. */
export function distinct(readings: ReadNumber[]): ReadNumber[] {
  return readings.filter(({ e164 }, index) => readings.findIndex((other) => other.e164 === e164) === index);
}

/** The number as an array of one; empty if no number has that length. */
function parseAs(digits: string, defaultCountry?: Country): ReadNumber[] {
  const number = phoneLibrary().parsePhoneNumberFromString(digits, {
    extract: false,
    ...(defaultCountry && { defaultCountry }),
  });
  if (!number?.isPossible()) return [];
  const known = number.isValid();
  // A 0 that belongs to a number makes it valid. Here the 0 is only dialled within the country.
  if (!known && number.nationalNumber.startsWith('0')) return [];
  // The parser may read its own answer as another number: after extra zeros, or an 8 in Belarus.
  const isStable = number.number === digits;
  if (!isStable && phoneLibrary().parsePhoneNumberFromString(number.number)?.number !== number.number)
    return [];
  const possible = number.getPossibleCountries();
  const country = number.country ?? (possible.length === 1 ? possible[0] : undefined);
  return [
    {
      kind: 'number',
      e164: number.number,
      digits: number.number.slice(1),
      ...(country && { country, countryName: countryName(country) }),
      ...(!known && { noKnownRange: true as const }),
    },
  ];
}

function lengthProblem(inFull: string): NumberFault {
  if (inFull.startsWith('+0')) return 'unknown_country';
  const result = phoneLibrary().validatePhoneNumberLength(inFull);
  if (result === 'TOO_SHORT' || result === 'NOT_A_NUMBER') return 'too_short';
  if (result === 'TOO_LONG') return 'too_long';
  if (result !== 'INVALID_COUNTRY') return 'wrong_length';
  if (inFull.length > 16) return 'too_long';
  return inFull.length < 7 ? 'too_short' : 'unknown_country';
}

/** The problem with that code, for callers who find one in the characters around the number. */
export function numberProblem(code: NumberFault): NumberProblem {
  return { kind: 'problem', code };
}
