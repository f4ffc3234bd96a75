/** The largest list that is read, in bytes. */
export const MOST_BYTES = 10 * 1024 * 1024;

/** More rows than a spreadsheet has are not read. */
export const MOST_ROWS = 1_048_576;
