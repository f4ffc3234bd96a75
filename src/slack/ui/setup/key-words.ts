import type { KeyRefusal } from '../../../core/accounts/key-taker.ts';
import type { KeyFault } from '../../../core/accounts/read-key.ts';
import { oneLine } from '../safe-text.ts';
import { plural } from '../words.ts';

export const KEY_FAULTS: { [fault in KeyFault]: string } = {
  key_empty: 'The API key is empty.',
  key_invalid: 'The API key has a space or a character that no key has. Copy it once more, whole and alone.',
};

/** Why we did not take a key. Plain text for the key's field. */
export function keyRefusalSentence(refusal: KeyRefusal): string {
  switch (refusal.kind) {
    case 'key_refused':
      return 'The service rejects this key: it is wrong or revoked. Nothing was saved. Copy the current one.';
    case 'unavailable':
      return 'The service did not answer, so the key could not be tested. Nothing was saved. Please try again in a moment.';
    case 'busy':
      return `The service limits requests per minute. Nothing was saved. Please try again in ${plural(Math.max(1, refusal.seconds), 'second')}.`;
    case 'other_account':
      return `This key belongs to another account, “${oneLine(refusal.now)}”. So far “${oneLine(refusal.was)}” pays. Nothing was saved.`;
    case 'key_in_use':
      return `This is already the key of the instance “${oneLine(refusal.name)}”. Nothing was saved.`;
    case 'removed':
      return 'The instance, or Switchboard itself, was removed meanwhile. Nothing was saved.';
  }
}
