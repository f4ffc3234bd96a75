import { createHmac, createSecretKey } from 'node:crypto';
import type { Words } from '../../ledger/repeat-types.ts';
import type { HashWords } from '../../ledger/retention-types.ts';
import type { LedgerMessage } from '../../ledger/types.ts';

/** Names this use of the secret: another use gets another key. */
const PURPOSE = 'switchboard repeat guard';

/** How the repeat guard knows a message of a workspace; undefined where the guard is off. */
export type WordsOf = (team: string, message: LedgerMessage) => Words | undefined;

/**
 * The repeat guard's eyes: a keyed hash of number and words, derived from the bot's secret, so that nobody without it can
 * try words. It is never cut: nobody is left out because two hashes look the same.
 */
export function createHashWords(secret: Buffer): HashWords {
  // As an object: made of bytes again for each text, the key would cost several times what the hash does.
  const key = createSecretKey(createHmac('sha256', secret).update(PURPOSE).digest());
  return (team, { phone, text }) =>
    createHmac('sha256', key)
      .update(`${team}/${phone}/${normalised(text)}`)
      .digest('base64url');
}

/** @param holdsMs for how long the same words count as a repeat; 0: never */
export function createWordsOf(secret: Buffer, holdsMs: number): WordsOf {
  const hashOf = createHashWords(secret);
  return (team, message) => (holdsMs === 0 ? undefined : { hash: hashOf(team, message), holdsMs });
}

/**
 * Words without what nobody sees: how characters are composed, and how much white space there is. Upper case counts: a
 * code or an address that differs by it is another one, and a text that is left out by mistake costs more than a
 * question that is not asked.
 */
function normalised(text: string): string {
  return text.normalize('NFC').replace(/\s+/gu, ' ').trim();
}
