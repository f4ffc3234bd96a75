import type { LedgerMessage } from '../../ledger/model/chunk-record.ts';
import type { Words } from '../../ledger/model/repeat-types.ts';
import type { HashWords } from '../../ledger/retention/erase-claims.ts';
import { createKeyedHash } from '../keyed-hash.ts';

/** How the repeat guard knows a message of a workspace; undefined if the guard is off. */
export type WordsOf = (team: string, message: LedgerMessage) => Words | undefined;

/** Hashes number and words for the repeat guard. The hash is never cut: nobody is left out because two look the same. */
export function createHashWords(secret: Buffer): HashWords {
  const hash = createKeyedHash(secret, 'switchboard repeat guard');
  return (team, { phone, text }) => hash(`${team}/${phone}/${normalised(text)}`);
}

/** @param repeatGuardMs for how long the same words count as a repeat; 0: never */
export function createWordsOf(secret: Buffer, repeatGuardMs: number): WordsOf {
  const hashOf = createHashWords(secret);
  return (team, message) =>
    repeatGuardMs === 0 ? undefined : { hash: hashOf(team, message), repeatGuardMs };
}

/**
 * The words without differences that nobody sees: how characters are composed, and the amount of white space. Upper
 * case counts: a code or an address may differ by it. To leave out a text by mistake is worse than to miss a question.
 */
function normalised(text: string): string {
  return text.normalize('NFC').replace(/\s+/gu, ' ').trim();
}
