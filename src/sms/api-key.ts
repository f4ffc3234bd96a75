import { SmsInputError } from './errors.ts';

const HINT_CHARACTERS = 4;
const HINT_FROM_LENGTH = 12;

/**
 * An API key of one messaging instance ("Authentication"). The value is private: whoever prints, inspects or clones the
 * key, or puts it into JSON, sees nothing of it.
 */
export class ApiKey {
  readonly #value: string;

  private constructor(value: string) {
    this.#value = value;
  }

  /**
   * Reads a key as a person pasted it, without the spaces around it.
   * @throws SmsInputError `key_empty` or `key_invalid`: it must fit a header, so it is visible ASCII without spaces
   */
  static from(text: string): ApiKey {
    const value = text.trim();
    if (value === '') throw new SmsInputError('key_empty', 'The API key is empty.');
    if (!/^[\x21-\x7e]+$/.test(value)) {
      throw new SmsInputError(
        'key_invalid',
        'The API key contains a space, a line break or a character that no key has. Copy it once more, whole and alone.',
      );
    }
    return new ApiKey(value);
  }

  /** The key itself: for the Authorization header, encryption and hashing only. */
  reveal(): string {
    return this.#value;
  }

  /** What may be shown: `…a1b2`, the last four characters, or only `…` when the key has fewer than 12. */
  get hint(): string {
    return this.#value.length >= HINT_FROM_LENGTH ? `…${this.#value.slice(-HINT_CHARACTERS)}` : '…';
  }

  /** The text with every occurrence of the key replaced by the hint. */
  scrub(text: string): string {
    return text.replaceAll(this.#value, () => this.hint);
  }
}
