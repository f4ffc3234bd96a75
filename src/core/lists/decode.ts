import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import { hasForeignLetters } from './foreign-letters.ts';
import type { ListFault } from './list.ts';
import { MOST_BYTES } from './list-limits.ts';

const PIECE_BYTES = 64 * 1024;

/** How workbooks begin: today's are zip archives, those of old are OLE files. */
const WORKBOOKS = ['504b0304', '504b0506', 'd0cf11e0a1b11ae1'].map((hex) => Buffer.from(hex, 'hex'));
/** Bytes that Windows-1252 does not use. Files of MS-DOS and of other countries' computers do. */
const NOT_WINDOWS_1252 = [0x81, 0x8d, 0x8f, 0x90, 0x9d];

/**
 * Finds the encoding of a list. A byte order mark names it. Otherwise UTF-8 counts, if all but a few letters are valid;
 * then Windows-1252, if no letter speaks against it. Returns the text in pieces of UTF-8 that can be read again and
 * again. A character may lie across two of them. Copies only one piece at a time, and lets other work run in between.
 */
export async function decode(bytes: Uint8Array): Promise<{ pieces(): Iterable<Buffer> } | ListFault> {
  if (bytes.length > MOST_BYTES) return { code: 'too_large' };
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (WORKBOOKS.some((start) => buffer.subarray(0, start.length).equals(start))) {
    return { code: 'workbook' };
  }
  const encoding = await encodingOf(buffer);
  if (encoding === undefined) return { code: 'not_text' };
  const pieces = () => piecesOf(buffer, encoding);
  if (pieces().some((piece) => piece.includes(0))) return { code: 'not_text' };
  // The preview shows two texts of a list, so people may not see that others have wrong letters.
  const isForeign = encoding === 'windows-1252' && (await hasForeignLetters(pieces()));
  return isForeign ? { code: 'foreign_letters' } : { pieces };
}

/** Undefined if no encoding that we know fits. */
async function encodingOf(buffer: Buffer): Promise<string | undefined> {
  const mark = buffer.subarray(0, 2).toString('hex');
  if (mark === 'fffe') return 'utf-16le';
  if (mark === 'feff') return 'utf-16be';
  if (isUtf8(buffer) || hasUtf8Mark(buffer) || (await isTornUtf8(buffer))) return 'utf-8';
  return NOT_WINDOWS_1252.some((byte) => buffer.includes(byte)) ? undefined : 'windows-1252';
}

function piecesOf(buffer: Buffer, encoding: string): Generator<Buffer> {
  if (encoding !== 'utf-8' || !isUtf8(buffer)) return decoded(buffer, encoding);
  return cut(buffer.subarray(hasUtf8Mark(buffer) ? 3 : 0));
}

function hasUtf8Mark(buffer: Buffer): boolean {
  return buffer.subarray(0, 3).toString('hex') === 'efbbbf';
}

/** Programs that count bytes cut letters in the middle. In Windows-1252 few neighbours happen to be a letter in UTF-8. */
async function isTornUtf8(buffer: Buffer): Promise<boolean> {
  let whole = 0;
  let torn = 0;
  for (const piece of decoded(buffer, 'utf-8')) {
    await setImmediate();
    for (const [letter] of piece.toString().matchAll(/[^\0-\x7F]/gu)) {
      if (letter === '\uFFFD') torn += 1;
      else whole += 1;
    }
  }
  return whole > 2 * torn;
}

function* cut(buffer: Buffer): Generator<Buffer> {
  for (let from = 0; from < buffer.length; from += PIECE_BYTES) {
    yield buffer.subarray(from, from + PIECE_BYTES);
  }
}

function* decoded(buffer: Buffer, encoding: string): Generator<Buffer> {
  const decoder = new TextDecoder(encoding);
  for (const piece of cut(buffer)) yield Buffer.from(decoder.decode(piece, { stream: true }));
  yield Buffer.from(decoder.decode());
}
