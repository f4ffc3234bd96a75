import { deflateSync, inflateSync } from 'node:zlib';
import { COMMON_TEXT } from './common-text.ts';

/** Shorter texts stay as they are: little is saved, and they are the most frequent ones. */
const FROM_BYTES = 64;

/** A packed text begins with it, and no JSON does. */
const PACKED = 'x'.charCodeAt(0);

const OPTIONS = { dictionary: Buffer.from(COMMON_TEXT) };

/** JSON as Redis keeps it, all of it in memory: packed with zlib where that saves something. */
export function packText(json: string): Buffer {
  const plain = Buffer.from(json);
  if (plain.length < FROM_BYTES) return plain;
  const packed = deflateSync(plain, OPTIONS);
  return packed.length < plain.length ? packed : plain;
}

/** What `packText` was given; earlier formats packed nothing. @throws where it was packed with another COMMON_TEXT, or is damaged */
export function unpackText(stored: Buffer): string {
  return (stored[0] === PACKED ? inflateSync(stored, OPTIONS) : stored).toString();
}
