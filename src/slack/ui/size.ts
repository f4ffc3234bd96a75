import { countCharacters } from '../../core/texts/message-text.ts';
import type { SegmentCount, UnicodeCharacter } from '../../core/texts/segments.ts';
import { count, escaped, plural } from './words.ts';

/** Of the characters that force UCS-2, so many are named. */
const NAMED = 3;

/** `5 characters · 1 segment`; of several segments in UCS-2, which character makes them so short. */
export function sizeOf(
  text: string,
  { segments, encoding, perSegment, unicodeCharacters }: SegmentCount,
): string {
  const size = `${plural(countCharacters(text), 'character')} · ${plural(segments, 'segment')}`;
  if (segments === 1) return size;
  if (encoding === 'GSM-7') return `${size}: one holds ${perSegment} characters of a long text`;
  const named = unicodeCharacters.slice(0, NAMED).map(whereIn).join(', ');
  const more = unicodeCharacters.length > NAMED ? ' and more' : '';
  return `${size}: ${named}${more} forces UCS-2, in which one holds ${perSegment} characters`;
}

function whereIn({ character, position, codePoint }: UnicodeCharacter): string {
  const code = `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
  // What can't be seen alone is named by its number.
  const shown = /[\p{Z}\p{C}\p{M}]/u.test(character) ? code : escaped(character);
  return `${shown} at position ${count(position)}`;
}
