import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countSegments, gsm7Septets, MOST_NAMED } from '../../../src/core/texts/segments.ts';

const require = createRequire(import.meta.url);
const { SegmentedMessage } = require('sms-segments-calculator') as {
  SegmentedMessage: new (
    text: string,
  ) => { encodingName: string; segmentsCount: number; getNonGsmCharacters(): string[] };
};
const { split } = require('split-sms') as {
  split(text: string): { characterSet: 'GSM' | 'Unicode'; parts: unknown[]; bytes: number };
};

describe('countSegments', () => {
  it.each([
    ['nothing', '', 'GSM-7', 1, 0, 160],
    ['a word', 'Hello', 'GSM-7', 1, 5, 160],
    ['160 septets', 'a'.repeat(160), 'GSM-7', 1, 160, 160],
    ['161 septets', 'a'.repeat(161), 'GSM-7', 2, 161, 153],
    ['306 septets', 'a'.repeat(306), 'GSM-7', 2, 306, 153],
    ['307 septets', 'a'.repeat(307), 'GSM-7', 3, 307, 153],
    ['1000 characters', 'a'.repeat(1000), 'GSM-7', 7, 1000, 153],
    ['80 euro signs', '€'.repeat(80), 'GSM-7', 1, 160, 160],
    ['81 euro signs', '€'.repeat(81), 'GSM-7', 2, 162, 153],
    ['an escape that would be split', `${'a'.repeat(152)}€${'a'.repeat(151)}`, 'GSM-7', 2, 305, 153],
    ['an escape that is pushed on', `${'a'.repeat(152)}€${'a'.repeat(152)}`, 'GSM-7', 3, 306, 153],
    ['line breaks', 'a\r\nb\nc', 'GSM-7', 1, 6, 160],
    ['70 units', 'ж'.repeat(70), 'UCS-2', 1, 70, 70],
    ['71 units', 'ж'.repeat(71), 'UCS-2', 2, 71, 67],
    ['35 emoji', '😀'.repeat(35), 'UCS-2', 1, 70, 70],
    ['a pair that would be split', `${'ж'.repeat(66)}😀${'ж'.repeat(66)}`, 'UCS-2', 3, 134, 67],
    ['a lone surrogate', '\uD83D', 'UCS-2', 1, 1, 70],
  ])('%s', (_, text, encoding, segments, units, perSegment) => {
    expect(countSegments(text)).toMatchObject({ encoding, segments, units, perSegment });
  });

  it('names the first characters that force UCS-2, each once, by code points', () => {
    expect(countSegments('Don’t 😀 don’t').unicodeCharacters).toEqual([
      { character: '’', position: 4, codePoint: 0x2019 },
      { character: '😀', position: 7, codePoint: 0x1f600 },
    ]);
    expect(countSegments('😀 ж').unicodeCharacters[1]).toEqual({
      character: 'ж',
      position: 3,
      codePoint: 0x436,
    });
    expect(countSegments('абвгдежз').unicodeCharacters).toHaveLength(MOST_NAMED);
    expect(countSegments('plain').unicodeCharacters).toEqual([]);
  });
});

describe('the GSM-7 table', () => {
  it('has 127 characters of one septet without the escape, and ten of two', () => {
    const counts = [0, 0, 0];
    for (let unit = 0; unit <= 0xffff; unit += 1)
      counts[gsm7Septets(unit)] = (counts[gsm7Septets(unit)] ?? 0) + 1;
    expect(counts.slice(1)).toEqual([127, 10]);
  });

  it('agrees with two other counters on every character of the first planes', () => {
    for (let unit = 0; unit < 0xd800; unit += 1) {
      const text = String.fromCharCode(unit);
      const known = gsm7Septets(unit) > 0;
      const named = `U+${unit.toString(16)}`;
      expect(split(text).characterSet === 'GSM', `split-sms ${named}`).toBe(known);
      expect(new SegmentedMessage(text).encodingName === 'GSM-7', `calculator ${named}`).toBe(known);
    }
  });
});

describe('against other counters', () => {
  const gsm = fc.string({ unit: fc.constantFrom(...'aé€[^Δ\n 7@'), maxLength: 700, size: 'max' });
  const anything = fc.string({ unit: 'binary', maxLength: 400, size: 'max' });
  const mixed = fc.string({ unit: fc.constantFrom('a', 'ж', '😀', '€', '’'), maxLength: 400, size: 'max' });

  it('counts as split-sms does', () => {
    fc.assert(
      fc.property(fc.oneof(gsm, anything, mixed), (text) => {
        const { encoding, segments, units } = countSegments(text);
        const other = split(text);
        expect(other.characterSet).toBe(encoding === 'GSM-7' ? 'GSM' : 'Unicode');
        expect(other.parts).toHaveLength(segments);
        expect(other.bytes).toBe(encoding === 'GSM-7' ? units : 2 * units);
      }),
      { numRuns: 1000 },
    );
  });

  it('counts and names as sms-segments-calculator does', () => {
    fc.assert(
      fc.property(fc.oneof(gsm, mixed), (text) => {
        const { encoding, segments, unicodeCharacters } = countSegments(text);
        const other = new SegmentedMessage(text);
        expect(other.encodingName).toBe(encoding);
        expect(other.segmentsCount).toBe(segments);
        const named = [...new Set(other.getNonGsmCharacters())].slice(0, MOST_NAMED);
        expect(unicodeCharacters.map(({ character }) => character)).toEqual(
          encoding === 'GSM-7' ? [] : named,
        );
      }),
      { numRuns: 300 },
    );
  });
});
