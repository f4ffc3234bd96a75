/** The parts of an index key: words and numbers from 0. Keys sort by their first part, then by the next. */
export type IndexKey = readonly (string | number)[];

/** Ends each part; nothing in a part sorts before it. */
const END = '!';
/** Sorts after every part. */
const LAST = '~';

/** Characters that a word escapes. So keys are ASCII, and no part contains END or LAST. */
const ESCAPED = /[^A-Za-z0-9\-_.:/]/gu;

/**
 * A key as text whose byte order is the order of its parts. A number begins with its length, so 9 sorts before 10.
 * Numbers sort before words. A fraction is rounded up, so no list up to now finds what is due a moment later.
 * @throws RangeError for a number that is negative or not finite
 */
export function keyText(key: IndexKey): string {
  let text = '';
  for (const part of key) text += (typeof part === 'number' ? numberText(part) : wordText(part)) + END;
  return text;
}

/** The keys that begin with these parts: `from` up to but not including `to`. */
export function startingWith(prefix: IndexKey): { from: string; to: string } {
  const from = keyText(prefix);
  return { from, to: `${from}${LAST}` };
}

/** The keys that begin with `prefix` and whose next part is a number, at most `most`, or missing. */
export function upTo(prefix: IndexKey, most: number): { from: string; to: string } {
  const from = keyText(prefix);
  // Numbers in keys begin at 0.
  return { from, to: most < 0 ? from : `${keyText([...prefix, Math.floor(most)])}${LAST}` };
}

/** The keys that begin with `prefix` and whose next part is a number, at least `least`, or a word. */
export function startingFrom(prefix: IndexKey, least: number): { from: string; to: string } {
  return { from: keyText([...prefix, Math.max(0, least)]), to: startingWith(prefix).to };
}

function numberText(part: number): string {
  const whole = Math.ceil(part);
  if (!Number.isSafeInteger(whole) || part < 0) throw new RangeError(`${part} can't be part of a key`);
  const digits = String(whole);
  return `${String.fromCharCode('0'.charCodeAt(0) + digits.length - 1)}${digits}`;
}

function wordText(part: string): string {
  return `A${part.replace(ESCAPED, (character) => `=${character.codePointAt(0)?.toString(16)};`)}`;
}
