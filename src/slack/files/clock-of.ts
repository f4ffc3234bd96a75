/** Formats moments for spreadsheets in a time zone (IANA): `2026-11-22 14:02:07`. @throws RangeError if there is no such zone */
export function clockOf(timeZone: string): Intl.DateTimeFormat {
  // Swedish writes dates and times in this form.
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
}
