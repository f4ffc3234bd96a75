import { isBlank } from '../texts/message-text.ts';
import { type Country, type NumberProblem, type ReadNumber, readNumber } from '../texts/phone.ts';
import { countryName, formatNumber } from '../texts/phone-format.ts';
import { phoneLibrary } from '../texts/phone-library.ts';
import { quoted, shownIn } from './cells.ts';
import type { CellProblem, RowFault } from './row-words.ts';

const PLAIN = /^\+?[0-9]{7,15}$/;
/** A cell of more characters holds something else than a number. */
const MOST_CHARACTERS = 100;
/** What people put around a number so that spreadsheets keep it as text. */
const WRAPPING = /^[='’"“”„\s]+|['’"“”\s]+$/g;
/** `4.42079460958E+11`, `4,42E+11`: how spreadsheets show numbers that are too long for their column. */
const SCIENTIFIC = /^\+?(\d)(?:[.,](\d+))?e\+?(\d{1,2})$/i;
/** `442079460958.0`: how programs for statistics write a column of figures with a gap in it. */
const WITH_DECIMALS = /^(\+?\d{5,})[.,]0{1,2}$/;
const WITH_THOUSANDS = /^\+?\d{1,3}(?:,\d{3}){2,}$/;
/** `#NAME?`, `#####` */
const SPREADSHEET_ERROR = /^#[#\p{L}/0]*[!?]?$/u;

/** A national number whose 0 a spreadsheet took away: nobody can tell its country any more. */
const NATIONAL = /^[1-9](?:[\s./()-]*\d){5,}$/;
const CUT_SHORT: NumberProblem['code'][] = ['too_short', 'unknown_country', 'wrong_length'];
/** Up to this many figures in no known range are rather a national number than one that lost its plus. */
const MOST_NATIONAL = 10;
/** In some countries, such as the United States, nobody can tell a mobile number from a landline. */
const MOBILES: (string | undefined)[] = ['MOBILE', 'FIXED_LINE_OR_MOBILE'];

/** Reads a cell that should hold a phone number, or says why it holds none. Undoes what spreadsheets do to numbers. */
export function readNumberCell(
  cell: string | undefined,
  country: Country | undefined,
): ReadNumber | RowFault {
  const text = shownIn(cell);
  if (PLAIN.test(text)) return readFigures(text, text, country);
  if (text.length > MOST_CHARACTERS) return wrong(text, 'long_cell');
  const shown = text.replace(WRAPPING, '');
  if (isBlank(shown)) return { why: 'blank' };
  if (SPREADSHEET_ERROR.test(shown)) return wrong(shown, 'spreadsheet_error');
  const scientific = SCIENTIFIC.exec(shown);
  if (scientific) return readScientific(shown, scientific, country);
  const decimals = WITH_DECIMALS.exec(shown);
  if (decimals?.[1]) return readFigures(shown, decimals[1], country);
  return readFigures(shown, WITH_THOUSANDS.test(shown) ? shown.replaceAll(',', '') : shown, country);
}

function readScientific(
  shown: string,
  parts: RegExpExecArray,
  country: Country | undefined,
): ReadNumber | RowFault {
  const [, first = '', decimals = '', exponent = ''] = parts;
  const places = Number(exponent);
  if (decimals.length < places) return wrong(shown, 'rounded');
  if (/[1-9]/.test(decimals.slice(places))) return wrong(shown, 'fraction');
  return readFigures(shown, first + decimals.slice(0, places), country);
}

function readFigures(shown: string, figures: string, country: Country | undefined): ReadNumber | RowFault {
  const isPlain = country !== undefined && !figures.startsWith('+') && PLAIN.test(figures);
  const read = (isPlain && readLostPlus(figures, country)) || mobileAtHome(readNumber(figures, country));
  if (read.kind === 'ambiguous') {
    const readings = read.readings.map(({ e164 }) => formatNumber(e164)).join(' or ');
    return { why: 'ambiguous', cell: quoted(shown), readings };
  }
  if (read.kind === 'problem') {
    if (!country && CUT_SHORT.includes(read.code) && NATIONAL.test(figures)) return wrong(shown, 'lost_zero');
    if (read.code !== 'not_in_country') return wrong(shown, read.code);
    return { why: read.code, cell: quoted(shown), country: countryName(read.country) };
  }
  const isCut = read.added && read.noKnownRange && read.digits.length <= MOST_NATIONAL;
  return isCut ? wrong(shown, 'lost_zero') : read;
}

/**
 * Reads figures whose plus a spreadsheet took away. They begin with the country's own code, and with the plus they are
 * a mobile number. In some countries the code is a landline's area code as well (`4915112…` in Germany); texts go to
 * mobiles.
 */
function readLostPlus(figures: string, country: Country): ReadNumber | undefined {
  if (!figures.startsWith(phoneLibrary().getCountryCallingCode(country))) return undefined;
  const number = phoneLibrary().parsePhoneNumberFromString(`+${figures}`, { extract: false });
  if (!number || !MOBILES.includes(number.getType())) return undefined;
  if (number.number !== `+${figures}`) return undefined;
  return {
    kind: 'number',
    e164: number.number,
    digits: figures,
    added: true,
    ...(number.country && { country: number.country, countryName: countryName(number.country) }),
  };
}

/** The reading in the default country, if it may be a mobile number and none abroad is one: texts go to mobiles. */
function mobileAtHome(read: ReturnType<typeof readNumber>): ReturnType<typeof readNumber> {
  if (read.kind !== 'ambiguous') return read;
  const abroad = read.readings.filter(({ added }) => added !== undefined);
  const [home, ...others] = read.readings.filter(({ added }) => added === undefined);
  const isHome = home && others.length === 0 && abroad.length > 0;
  return isHome && isMobile(home) && !abroad.some(isMobile) ? home : read;
}

function isMobile({ e164 }: ReadNumber): boolean {
  return MOBILES.includes(phoneLibrary().parsePhoneNumberFromString(e164)?.getType());
}

function wrong(shown: string, why: CellProblem): RowFault {
  return { why, cell: quoted(shown) };
}
