/** Writes moments as spreadsheets read them, in a time zone: `2026-11-22 14:02:07`. In UTC where the zone is not known. */
export function clockOf(timeZone: string): Intl.DateTimeFormat {
  try {
    // Swedish writes them so.
    return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  } catch {
    return clockOf('UTC');
  }
}
