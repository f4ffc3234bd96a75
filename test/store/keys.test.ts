import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type IndexKey, keyText, startingFrom, startingWith, upTo } from '../../src/store/keys.ts';

const aNumber = fc.oneof(fc.nat(20), fc.maxSafeNat());
const SAFE = [...'-./0129:ABZ_abz'];
/** If no character of a word needs an escape, words sort by their bytes. Other words are only distinct. */
const aSafeWord = fc.string({ unit: fc.constantFrom(...SAFE), maxLength: 3 });
const anyWord = fc.string({ unit: fc.constantFrom(...SAFE, ...'!~=; é🎉\ud83d\0'), maxLength: 3 });
const keyOf = (word: fc.Arbitrary<string>): fc.Arbitrary<IndexKey> =>
  fc.array(fc.oneof(aNumber, word), { maxLength: 3 });

/** -1, 0 or 1. Numbers come before words, and a key comes before its longer keys. */
function order(one: IndexKey, other: IndexKey): number {
  for (const [i, part] of one.entries()) {
    const against = other[i];
    if (against === undefined) return 1;
    if (part === against) continue;
    if (typeof part !== typeof against) return typeof part === 'number' ? -1 : 1;
    return part < against ? -1 : 1;
  }
  return one.length < other.length ? -1 : 0;
}

const orderOfTexts = (one: string, other: string) => (one === other ? 0 : one < other ? -1 : 1);
const isIn = (key: IndexKey, { from, to }: { from: string; to: string }) =>
  keyText(key) >= from && keyText(key) < to;
const begins = (key: IndexKey, prefix: IndexKey) => prefix.every((part, i) => key[i] === part);

describe('the text of a key', () => {
  test('sorts as its parts do', () => {
    fc.assert(
      fc.property(keyOf(aSafeWord), keyOf(aSafeWord), (one, other) => {
        expect(orderOfTexts(keyText(one), keyText(other))).toBe(order(one, other));
      }),
      { numRuns: 2000 },
    );
  });

  test('is another for every other key, and ASCII that can be seen', () => {
    fc.assert(
      fc.property(keyOf(anyWord), keyOf(anyWord), (one, other) => {
        expect(keyText(one) === keyText(other)).toBe(order(one, other) === 0);
        expect(keyText(one)).toMatch(/^[!-~]*$/);
      }),
      { numRuns: 2000 },
    );
  });

  test.each([-1, -0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('%d is no part of a key', (number) => {
    expect(() => keyText([number])).toThrow(RangeError);
  });
});

test('a fraction counts as the next whole number', () => {
  expect(keyText(['a', 9.01])).toBe(keyText(['a', 10]));
});

describe('the bounds of a range', () => {
  test('hold the keys that begin so, and no others', () => {
    const inside = fc
      .tuple(keyOf(anyWord), keyOf(anyWord))
      .map(([prefix, rest]) => ({ prefix, key: [...prefix, ...rest] }));
    const anyPair = fc.record({ prefix: keyOf(anyWord), key: keyOf(anyWord) });
    fc.assert(
      fc.property(fc.oneof(inside, anyPair), ({ prefix, key }) => {
        expect(isIn(key, startingWith(prefix))).toBe(begins(key, prefix));
      }),
      { numRuns: 2000 },
    );
  });

  test('hold the keys whose next number is not below, and no others', () => {
    const anyNumber = fc.tuple(aNumber, keyOf(anyWord)).map(([first, rest]) => [first, ...rest]);
    fc.assert(
      fc.property(keyOf(anyWord), anyNumber, fc.integer({ min: -3, max: 25 }), (prefix, rest, at) => {
        expect(isIn([...prefix, ...rest], startingFrom(prefix, at))).toBe(Number(rest[0]) >= at);
      }),
      { numRuns: 2000 },
    );
  });

  test('hold the keys whose next number is not above, and no others', () => {
    const most = fc.oneof(fc.integer({ min: -3, max: 25 }), fc.double({ min: -1, max: 25, noNaN: true }));
    fc.assert(
      fc.property(keyOf(anyWord), keyOf(anyWord), most, (prefix, rest, at) => {
        const key = [...prefix, ...rest];
        const next = rest[0];
        // A key without a next part sorts before all keys with one.
        const isInside = at >= 0 && (next === undefined || (typeof next === 'number' && next <= at));
        expect(isIn(key, upTo(prefix, at))).toBe(isInside);
      }),
      { numRuns: 2000 },
    );
  });
});
