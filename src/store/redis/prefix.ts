/** All keys of the product in a Redis that others may use too. */
export const PREFIX = 'switchboard:';
/** Those of the ledger. */
export const LEDGER_PREFIX = `${PREFIX}ledger:`;
