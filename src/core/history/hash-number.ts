import type { HashNumber } from '../../ledger/look-up/hash-number.ts';
import { HASH_CHARACTERS } from '../../ledger/look-up/number-leaf.ts';
import { createKeyedHash } from '../keyed-hash.ts';

/**
 * Hashes numbers for the look-up. A hash has 48 bits: with a million numbers in a workspace, one look-up in 280 million
 * finds another number's messages.
 */
export function createHashNumber(secret: Buffer): HashNumber {
  const hash = createKeyedHash(secret, 'switchboard look-up by number');
  return (team, phone) => hash(`${team}/${phone}`).slice(0, HASH_CHARACTERS);
}
