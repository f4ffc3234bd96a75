import { createHmac } from 'node:crypto';
import { HASH_CHARACTERS } from '../../ledger/number-leaf.ts';
import type { HashNumber } from '../../ledger/retention-types.ts';

/** What the key is derived for: another use of the secret gets another key. */
const PURPOSE = 'switchboard look-up by number';

/**
 * Hashes numbers with a key that is derived from the bot's secret: without it nobody can try all numbers. 48 bits: among
 * a million numbers of a workspace, one that was never texted meets another one's hash once in 280 million look-ups.
 */
export function createHashNumber(secret: Buffer): HashNumber {
  const key = createHmac('sha256', secret).update(PURPOSE).digest();
  return (team, phone) =>
    createHmac('sha256', key).update(`${team}/${phone}`).digest('base64url').slice(0, HASH_CHARACTERS);
}
