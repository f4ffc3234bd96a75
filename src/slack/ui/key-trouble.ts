import type { KeyTrouble } from '../../core/accounts/key-trouble.ts';

/** Beside **Replace key**, for everybody: only admins can press it. */
export const REPLACE_KEY_HERE = 'An admin can replace the key here or in `/sms settings`.';

/** What is wrong with a key: a sentence without its full stop. `key` names it, such as `the API key`. */
export const KEY_TROUBLE: { [trouble in KeyTrouble]: (key: string) => string } = {
  key_refused: (key) => `the service refuses ${key}`,
  other_account: (key) => `${key} now belongs to another account`,
};
