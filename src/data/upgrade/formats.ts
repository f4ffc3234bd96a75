/** The first formats with documents. Older formats have tables in SQLite, and hashes in Redis. */
export const FIRST_IN_SQLITE = 7;
export const FIRST_IN_REDIS = 2;

/** The oldest format of a database that this version upgrades. Redis began with format 1, which it upgrades, too. */
export const OLDEST_IN_SQLITE = 6;

/**
 * The formats that this version writes. Add one to both if documents change, and to Redis's if it holds them differently.
 * CONTRIBUTING.md says how.
 */
export const SQLITE_FORMAT = 13;
export const REDIS_FORMAT = 9;
