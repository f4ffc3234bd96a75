export type SegmentCount = ReturnType<typeof countSegments>;
/** A character outside GSM-7, which forces the whole text into UCS-2. */
export type UnicodeCharacter = SegmentCount['unicodeCharacters'][number];

/** We name this many of the characters that force UCS-2, at most. */
export const MOST_NAMED = 5;

const UNITS_PER_SEGMENT = {
  'GSM-7': { single: 160, concatenated: 153 },
  'UCS-2': { single: 70, concatenated: 67 },
} as const;

/** The characters of the default alphabet of 3GPP TS 23.038: one septet each. */
const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';

/** The extension table of 3GPP TS 23.038. Each character takes two septets: an escape and its own. */
const EXTENSION = '\f^{}\\[~]|€';

/** Septets by UTF-16 code unit; 0 if the alphabet lacks it. A table, since lists of 100,000 texts are counted. */
const SEPTETS = new Uint8Array(0x10000);
for (const character of BASIC) SEPTETS[character.charCodeAt(0)] = 1;
for (const character of EXTENSION) SEPTETS[character.charCodeAt(0)] = 2;

/** How many septets (1 or 2) a UTF-16 code unit takes in GSM-7; 0 if it forces the text into UCS-2. */
export function gsm7Septets(codeUnit: number): number {
  return SEPTETS[codeUnit] ?? 0;
}

/**
 * Counts the segments of a text. A segment has 140 octets. If there are several segments, each has a 6-octet header.
 * An escape sequence or a surrogate pair stays in one segment.
 */
export function countSegments(text: string) {
  const septets = sumSeptets(text);
  const encoding = septets === undefined ? ('UCS-2' as const) : ('GSM-7' as const);
  const units = septets ?? text.length;
  const room = UNITS_PER_SEGMENT[encoding];
  const isSingle = units <= room.single;
  return {
    encoding,
    /** At least 1, also for an empty text. */
    segments: isSingle ? 1 : countJoined(text, encoding, room.concatenated),
    /** Septets in GSM-7, UTF-16 code units in UCS-2; without the headers of a text of several segments. */
    units,
    /** The most units that fit in one segment. */
    alone: room.single,
    /** The most units that fit in each segment of this text: fewer if there are several. */
    perSegment: isSingle ? room.single : room.concatenated,
    /** The first different characters that force UCS-2, at most {@link MOST_NAMED}; empty in GSM-7. */
    unicodeCharacters: septets === undefined ? findUnicode(text) : [],
  };
}

function sumSeptets(text: string): number | undefined {
  let sum = 0;
  for (let index = 0; index < text.length; index += 1) {
    const septets = gsm7Septets(text.charCodeAt(index));
    if (septets === 0) return undefined;
    sum += septets;
  }
  return sum;
}

function countJoined(text: string, encoding: keyof typeof UNITS_PER_SEGMENT, room: number): number {
  let segments = 1;
  let used = 0;
  for (let index = 0; index < text.length; index += 1) {
    const units = encoding === 'GSM-7' ? gsm7Septets(text.charCodeAt(index)) : isPair(text, index) ? 2 : 1;
    if (used + units > room) {
      segments += 1;
      used = 0;
    }
    used += units;
    if (encoding === 'UCS-2') index += units - 1;
  }
  return segments;
}

function isPair(text: string, index: number): boolean {
  return (text.codePointAt(index) ?? 0) > 0xffff;
}

/** `position`: where a character is first, in code points, counted from 1. */
function findUnicode(text: string) {
  const found = new Map<string, { character: string; position: number; codePoint: number }>();
  let position = 0;
  for (const character of text) {
    position += 1;
    const codePoint = character.codePointAt(0) ?? 0;
    if (codePoint <= 0xffff && gsm7Septets(codePoint) > 0) continue;
    if (!found.has(character)) found.set(character, { character, position, codePoint });
    if (found.size === MOST_NAMED) break;
  }
  return [...found.values()];
}
