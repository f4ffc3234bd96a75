import type { Country } from '../texts/phone.ts';
import { shownIn } from './cells.ts';
import { readNumberCell } from './number-cell.ts';

const SCIENTIFIC = /^\d[.,]\d+e\+?\d\d$/i;
/** A longer cell is no number, whatever digits it holds. */
const MOST_CHARACTERS = 40;
const DATE = /^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}$/;

/** Whether a cell of a first row holds too many digits for a header: headers hold a year at most. */
export function holdsDigits(cell: string | undefined): boolean {
  const text = shownIn(cell).slice(0, 4 * MOST_CHARACTERS);
  const digits = text.match(/\p{Nd}/gu)?.length ?? 0;
  return digits >= 7 || (digits >= 5 && !/\p{L}/u.test(text)) || SCIENTIFIC.test(text);
}

/** Whether somebody meant a cell as a phone number, even if we can't read it as one. Ids and dates are not. */
export function looksLikeNumber(cell: string, country: Country | undefined): boolean {
  const text = shownIn(cell);
  if (text.length > MOST_CHARACTERS) return false;
  if (SCIENTIFIC.test(text)) return true;
  if (DATE.test(text)) return false;
  const digits = text.match(/\p{Nd}/gu)?.length ?? 0;
  if (digits < 7 || digits > 18 || /\p{L}/u.test(text)) return false;
  if (/^['(]*[+＋0]/.test(text)) return true;
  return digits >= 9 && 'digits' in readNumberCell(cell, country);
}
