/** The first formats with documents. Older formats have tables in SQLite, and hashes in Redis. */
export const FIRST_IN_SQLITE = 7;
export const FIRST_IN_REDIS = 2;

/**
 * The formats that this version writes. A change to documents, or to how Redis holds them, makes them one more;
 * old-documents.ts reads those before.
 */
export const SQLITE_FORMAT = 13;
export const REDIS_FORMAT = 9;
