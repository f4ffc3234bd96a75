import { phoneLibrary } from './phone-library.ts';

/** Made when it is first needed: it takes longer than all else that a start loads. */
let regions: Intl.DisplayNames | undefined;
/** The calling codes of all countries. */
let codes: Set<string> | undefined;

/** `+442079460958` → `+44 20 7946 0958`. What is not an E.164 number comes back as it is. */
export function formatNumber(e164: string): string {
  return phoneLibrary().parsePhoneNumberFromString(e164)?.formatInternational().trim() ?? e164;
}

/** The English name of a country: `GB` → `United Kingdom`. */
export function countryName(country: string): string {
  regions ??= new Intl.DisplayNames(['en'], { type: 'region' });
  return regions.of(country) ?? country;
}

/** `+447624999999` → `+44`, a code that several countries may share. */
export function callingCode(e164: string): string {
  return `+${phoneLibrary().parsePhoneNumberFromString(e164)?.countryCallingCode ?? ''}`;
}

/** `+44 20 7946 0958 · United Kingdom`, or the number alone if its country is not known. */
export function describeNumber(number: { e164: string; countryName?: string | undefined }): string {
  const shown = formatNumber(number.e164);
  return number.countryName ? `${shown} · ${number.countryName}` : shown;
}

/**
 * `+442079460958` → `(+44) 2079460958`: neither a formula nor a figure, so a spreadsheet shows it as it is. A list can
 * read it back. Unlike `formatNumber`, this is fast enough for whole lists.
 */
export function numberInCell(e164: string): string {
  const { getCountries, getCountryCallingCode } = phoneLibrary();
  codes ??= new Set(getCountries().map((country) => getCountryCallingCode(country)));
  const digits = e164.slice(1);
  const length = [1, 2].find((each) => codes?.has(digits.slice(0, each))) ?? 3;
  return `(+${digits.slice(0, length)}) ${digits.slice(length)}`;
}

/** `+442079460958` or `442079460958` → `···0958`: for all that others than the requester may read. */
export function maskNumber(number: string): string {
  return `···${number.slice(-4)}`;
}
