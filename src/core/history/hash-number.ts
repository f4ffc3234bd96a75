import { createHmac } from 'node:crypto';
import { HASH_CHARACTERS } from '../../ledger/number-leaf.ts';
import type { HashNumber } from '../../ledger/retention-types.ts';

/** Names this use of the secret: another use gets another key. */
const PURPOSE = 'switchboard look-up by number';

/**
 * Hashes numbers with a key that is derived from the bot's secret: without it nobody can try all numbers. A hash has
 * 48 bits: with a million numbers in a workspace, one look-up in 280 million finds another number's messages.
 */
export function createHashNumber(secret: Buffer): HashNumber {
  const key = createHmac('sha256', secret).update(PURPOSE).digest();
  return (team, phone) =>
    createHmac('sha256', key).update(`${team}/${phone}`).digest('base64url').slice(0, HASH_CHARACTERS);
}
