import { ApiKey } from '../../sms/api-key.ts';
import { SmsInputError } from '../../sms/errors.ts';

/** Why pasted text is no key. */
export type KeyFault = 'key_empty' | 'key_invalid';

export function readKey(typed: string): { key: ApiKey } | { fault: KeyFault } {
  try {
    return { key: ApiKey.from(typed) };
  } catch (error) {
    if (error instanceof SmsInputError)
      return { fault: error.code === 'key_empty' ? 'key_empty' : 'key_invalid' };
    throw error;
  }
}

/** Whether a name that everybody will see holds the key, pasted into the wrong field. */
export function holdsKey(name: string, key: string): boolean {
  return key.trim() !== '' && name.includes(key.trim());
}
