import { type Country, type NumberProblemCode, type ReadNumber, readNumber } from '../texts/phone.ts';
import { countryInSentence, formatNumber } from '../texts/phone-format.ts';
import { isBlank, quoted, shownIn } from './cells.ts';
import { readLostPlus } from './lost-plus.ts';

/** What a cell says as a phone number. The reason is for the person whose list it is and quotes the cell. */
export type NumberCell = ReadNumber | { kind: 'wrong'; reason: string };

const PLAIN = /^\+?[0-9]{7,15}$/;
/** A cell of more holds something else than a number. */
const MOST_CHARACTERS = 100;
/** What stands around a number that was to be kept as text. */
const WRAPPING = /^[='’"“”„\s]+|['’"“”\s]+$/g;
/** `4.42079460958E+11`, `4,42E+11`: how spreadsheets show numbers that are too long for their column. */
const SCIENTIFIC = /^\+?(\d)(?:[.,](\d+))?e\+?(\d{1,2})$/i;
/** `442079460958.0`: how programs for statistics write a column of figures with a gap in it. */
const WITH_DECIMALS = /^(\+?\d{5,})[.,]0{1,2}$/;
const WITH_THOUSANDS = /^\+?\d{1,3}(?:,\d{3}){2,}$/;
/** `#NAME?`, `#####` */
const SPREADSHEET_ERROR = /^#[#\p{L}/0]*[!?]?$/u;

const WRITE_IN_FULL = 'write it with + and the country code';
/** A national number whose 0 a spreadsheet took away: nobody can tell its country any more. */
const LOST_ZERO = `has no country code and may have lost a 0 in front: ${WRITE_IN_FULL}`;
const NATIONAL = /^[1-9](?:[\s./()-]*\d){5,}$/;
const CUT_SHORT: ReadonlySet<NumberProblemCode> = new Set(['too_short', 'unknown_country', 'wrong_length']);
/** Figures in no known range that are no longer than this are rather a national number than one that lost its plus. */
const MOST_NATIONAL = 10;

const REASONS: { [code in NumberProblemCode]: string } = {
  empty: 'has no number',
  letters: 'has letters in it',
  characters: 'has characters that belong in no phone number',
  extension: 'has an extension, which a text message cannot reach',
  several_numbers: 'is more than one number: write one a row',
  no_country_code: 'has no country code',
  unknown_country: 'begins with no country code that exists',
  too_short: 'is too short',
  too_long: 'is too long',
  wrong_length: 'has a number of digits that its country does not use',
  not_in_country: `is not a number in {country}: ${WRITE_IN_FULL}`,
};

/**
 * Reads the cell of a list that should hold a phone number, with what spreadsheets make of it undone where it can be.
 */
export function readNumberCell(cell: string | undefined, country: Country | undefined): NumberCell {
  const text = shownIn(cell);
  if (PLAIN.test(text)) return readFigures(text, text, country);
  if (text.length > MOST_CHARACTERS) return wrong(text, 'is too long');
  const shown = text.replace(WRAPPING, '');
  if (isBlank(shown)) return { kind: 'wrong', reason: 'no number' };
  if (SPREADSHEET_ERROR.test(shown)) return wrong(shown, 'is an error of the spreadsheet');
  const scientific = SCIENTIFIC.exec(shown);
  if (scientific) return readScientific(shown, scientific, country);
  const decimals = WITH_DECIMALS.exec(shown);
  if (decimals?.[1]) return readFigures(shown, decimals[1], country);
  return readFigures(shown, WITH_THOUSANDS.test(shown) ? shown.replaceAll(',', '') : shown, country);
}

function readScientific(shown: string, parts: RegExpExecArray, country: Country | undefined): NumberCell {
  const [, first = '', decimals = '', exponent = ''] = parts;
  const places = Number(exponent);
  if (decimals.length < places) {
    return wrong(shown, 'was rounded, its last digits are lost: format the column as Text and export again');
  }
  if (/[1-9]/.test(decimals.slice(places))) return wrong(shown, 'is no phone number');
  return readFigures(shown, first + decimals.slice(0, places), country);
}

function readFigures(shown: string, figures: string, country: Country | undefined): NumberCell {
  const isPlain = country !== undefined && !figures.startsWith('+') && PLAIN.test(figures);
  const read = (isPlain && readLostPlus(figures, country)) || readNumber(figures, country);
  if (read.kind === 'ambiguous') {
    const readings = read.readings.map(({ e164 }) => formatNumber(e164)).join(' or ');
    return wrong(shown, `may be ${readings}: ${WRITE_IN_FULL}`);
  }
  if (read.kind === 'problem') {
    const isCut = !country && CUT_SHORT.has(read.code) && NATIONAL.test(figures);
    const reason = REASONS[read.code].replace('{country}', country ? countryInSentence(country) : '');
    return wrong(shown, isCut ? LOST_ZERO : reason);
  }
  const isCut = read.added && read.warning && read.digits.length <= MOST_NATIONAL;
  return isCut ? wrong(shown, LOST_ZERO) : read;
}

function wrong(shown: string, why: string): NumberCell {
  return { kind: 'wrong', reason: `${quoted(shown)} ${why}` };
}
