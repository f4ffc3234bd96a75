import type { Country, ReadNumber } from '../texts/phone.ts';
import { countryName } from '../texts/phone-format.ts';
import { phoneLibrary } from '../texts/phone-library.ts';

/**
 * Reads figures whose plus a spreadsheet took away: those that begin with the country's own code and are a mobile
 * number so. In some countries the code is a landline's area code as well (`4915112…` in Germany); texts go to mobiles.
 */
export function readLostPlus(figures: string, country: Country): ReadNumber | undefined {
  if (!figures.startsWith(phoneLibrary().getCountryCallingCode(country))) return undefined;
  const number = phoneLibrary().parsePhoneNumberFromString(`+${figures}`, { extract: false });
  const type = number?.getType();
  if (!number || (type !== 'MOBILE' && type !== 'FIXED_LINE_OR_MOBILE')) return undefined;
  if (number.number !== `+${figures}`) return undefined;
  return {
    kind: 'number',
    e164: number.number,
    digits: figures,
    added: '+',
    ...(number.country && { country: number.country, countryName: countryName(number.country) }),
  };
}
