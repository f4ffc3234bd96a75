import { isUtf8 } from 'node:buffer';

/** Begins the text of bytes that are no UTF-8. No other text begins with it: it is half of a surrogate pair. */
const NO_UTF8 = '\ud800';

/** Stored bytes as a text. Damaged bytes become a text that is no JSON, and that `bytesOf` turns into them again. */
export function textOf(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString() : `${NO_UTF8}${bytes.toString('latin1')}`;
}

/** The bytes of a text from `textOf`. */
export function bytesOf(text: string): Buffer {
  return text.startsWith(NO_UTF8) ? Buffer.from(text.slice(NO_UTF8.length), 'latin1') : Buffer.from(text);
}
