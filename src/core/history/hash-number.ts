import { HASH_CHARACTERS, type HashNumber } from '../../ledger/look-up/number-leaf.ts';
import { createKeyedHash } from '../keyed-hash.ts';

/** Hashes numbers for the look-up, to 48 bits: of a million numbers, one look-up in 280 million finds another one. */
export function createHashNumber(secret: Buffer): HashNumber {
  const hash = createKeyedHash(secret, 'switchboard look-up by number');
  return (team, phone) => hash(`${team}/${phone}`).slice(0, HASH_CHARACTERS);
}
