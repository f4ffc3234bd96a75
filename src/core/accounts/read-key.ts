import { ApiKey } from '../../sms/api-key.ts';
import { SmsInputError } from '../../sms/errors.ts';

/** Reads a pasted key; `error` is the sentence that says what is wrong with it, without repeating it. */
export function readKey(typed: string): { key: ApiKey } | { error: string } {
  try {
    return { key: ApiKey.from(typed) };
  } catch (error) {
    if (error instanceof SmsInputError) return { error: error.message };
    throw error;
  }
}

/** Whether a name that everybody will see holds the key, pasted into the wrong field. */
export function holdsKey(name: string, key: string): boolean {
  return key.trim() !== '' && name.includes(key.trim());
}
