/** Hashes a number (its digits) for a workspace, with a secret key. A hash has `HASH_CHARACTERS` characters. */
export type HashNumber = (team: string, phone: string) => string;
