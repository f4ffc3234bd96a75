/** The largest list that is read, in bytes. */
export const MOST_BYTES = 10 * 1024 * 1024;

/** The most rows that are read, blank ones too: as many as a spreadsheet holds. */
export const MOST_ROWS = 1_048_576;
