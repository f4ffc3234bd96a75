/** Formats moments for spreadsheets in a time zone: `2026-11-22 14:02:07`. Uses UTC for a zone that it does not know. */
export function clockOf(timeZone: string): Intl.DateTimeFormat {
  try {
    // Swedish writes them so.
    return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  } catch {
    return clockOf('UTC');
  }
}
