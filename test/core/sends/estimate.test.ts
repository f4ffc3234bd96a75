import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  type Charge,
  Estimate,
  estimateCredits,
  knownCost,
  learnPrice,
  Prices,
} from '../../../src/core/sends/estimate.ts';

/** The prices of an account without receipts. */
const NO_PRICES: Prices = { bySegments: {} };

/** Prices after these receipts, each with segments, credits and number of messages. */
function learned(...receipts: [segments: number, credits: number, messages?: number][]): Prices {
  const charges = receipts.map(
    ([segments, credits, messages = 1]): Charge => ({ segments, credits, messages }),
  );
  return charges.reduce(learnPrice, NO_PRICES);
}

/** The estimate without `perMessage`. */
function whole(prices: Prices, segments: number[]): Estimate {
  const { perMessage: _each, ...estimate } = estimateCredits(prices, segments);
  return estimate;
}

describe('estimateCredits', () => {
  it('is one credit for a message of one segment, as documented, while no receipt is known', () => {
    expect(whole(NO_PRICES, [1, 1])).toEqual({ credits: 2, basis: 'documented' });
    expect(whole(NO_PRICES, [])).toEqual({ credits: 0, basis: 'documented' });
  });

  it('is a range for a longer message then: the document does not say what one costs', () => {
    expect(whole(NO_PRICES, [1, 3])).toEqual({ least: 2, credits: 4, basis: 'documented' });
  });

  it.each([
    ['the price seen', learned([1, 1]), [1, 1], 2],
    ['a price per message', learned([1, 1], [2, 1]), [3, 1], 2],
    ['a price per segment', learned([1, 1], [2, 2]), [3, 1], 4],
    ['two credits a segment', learned([1, 2], [3, 6]), [2], 4],
    ['what was seen, though no rule fits', learned([1, 1], [2, 3]), [1, 2], 4],
    ['nothing, for a free account', learned([1, 0]), [1, 3], 0],
    ['a receipt for several messages', learned([1, 6, 3]), [1], 2],
    ['whole credits', learned([1, 1, 2]), [1], 1],
    ['as much again for as many again', learned([1, 110, 100]), Array(100).fill(1), 110],
    [
      'a fraction of a credit each',
      learned([1, 7, 100], [2, 29, 100]),
      [...Array(100).fill(1), ...Array(100).fill(2)],
      36,
    ],
  ])('%s', (_, prices, segments, credits) => {
    expect(whole(prices, segments)).toEqual({ credits, basis: 'receipts' });
  });

  it.each([
    ['messages of one segment tell nothing of longer ones', learned([1, 1]), [7], 1, 7],
    ['and nothing of those in a list', learned([1, 2]), [1, 1, 3], 6, 10],
    ['nor do long ones of others', learned([2, 2]), [3, 1], 3, 5],
    ['if no rule fits, the next shorter one is the measure', learned([1, 1], [2, 3]), [4], 3, 6],
    ['receipts contradict each other', learned([1, 1], [1, 3]), [1, 1], 2, 6],
    ['also if the latest one was the cheaper', learned([1, 3], [1, 1], [1, 2]), [1, 1], 2, 6],
    ['and then no rule is proven by them', learned([1, 1], [2, 2], [2, 1]), [2, 4], 2, 6],
    ['or the next longer one', learned([2, 3], [4, 5]), [1], 2, 3],
  ])('is a range: %s', (_, prices, segments, least, credits) => {
    expect(whole(prices, segments)).toEqual({ least, credits, basis: 'receipts' });
  });

  it.each([
    ['one message', learned([1, 2]), [1], undefined],
    ['the price of each', learned([1, 2]), [1, 1, 1], 2],
    ['the longest, at most', learned([1, 1]), [1, 1, 4], 4],
    ['a fraction', learned([1, 1, 2]), [1, 1, 1], 0.5],
  ])('says what one of several messages costs at most: %s', (_, prices, segments, perMessage) => {
    expect(estimateCredits(prices, segments).perMessage).toBe(perMessage);
  });

  it('holds the cost of a message by any price per message or per segment, whatever receipts are there', () => {
    const counts = fc.array(fc.integer({ min: 1, max: 7 }), { maxLength: 4 });
    fc.assert(
      fc.property(
        counts,
        fc.integer({ min: 1, max: 9 }),
        fc.boolean(),
        counts,
        (seen, price, isPerSegment, asked) => {
          const cost = (segments: number) => (isPerSegment ? segments * price : price);
          const receipts = seen.map((each): [number, number] => [each, cost(each)]);
          const { credits, least = credits } = estimateCredits(learned([1, cost(1)], ...receipts), asked);
          const charged = asked.reduce((sum, each) => sum + cost(each), 0);
          expect(least).toBeLessThanOrEqual(charged);
          expect(credits).toBeGreaterThanOrEqual(charged);
          if (new Set([1, ...seen]).size > 1) expect(least).toBe(credits);
        },
      ),
    );
  });
});

test('an estimate of an older draft, which has one figure only, is still read', () => {
  const older = { credits: 2, basis: 'documented' };
  expect(Estimate.parse(older)).toEqual(older);
});

test('an estimate is read without its basis, so a later version need not write it', () => {
  expect(Estimate.parse({ credits: 2 })).toEqual({ credits: 2 });
});

test('after 50 receipts in a row the dearer price of before is forgotten', () => {
  const again = Array.from({ length: 49 }, (): [number, number] => [1, 1]);
  expect(whole(learned([1, 3], ...again), [1])).toEqual({ least: 1, credits: 3, basis: 'receipts' });
  expect(whole(learned([1, 3], ...again, [1, 1]), [1])).toEqual({ credits: 1, basis: 'receipts' });
});

test('a contradiction that an older version found can still be read', () => {
  const older = { bySegments: { 1: { credits: 2, inARow: 3, contradicted: true } } };
  expect(whole(Prices.parse(older), [1])).toEqual({ credits: 2, basis: 'receipts' });
});

describe('knownCost', () => {
  it.each([
    ['the documented price', NO_PRICES, [1, 1], 2],
    ['no price of a long message', NO_PRICES, [1, 2], undefined],
    ['what was seen', learned([1, 1], [2, 3]), [1, 2, 2], 7],
    ['a rule', learned([1, 1], [2, 2]), [5], 5],
    ['no rule', learned([1, 1], [2, 3]), [3], undefined],
    ['one kind of message only', learned([1, 1]), [3], undefined],
    ['a contradiction', learned([1, 1], [1, 2]), [1], undefined],
    ['a contradiction elsewhere', learned([1, 1], [2, 2], [2, 1]), [1], undefined],
    ['no message', learned([1, 1]), [], 0],
    ['a fraction of a credit each', learned([1, 29, 100]), Array(100).fill(1), 29],
  ])('%s', (_, prices, segments, credits) => {
    expect(knownCost(prices, segments)).toBe(credits);
  });

  it('is known again after a new price has held for 50 receipts', () => {
    const changed = learned([1, 1], ...Array.from({ length: 49 }, (): [number, number] => [1, 2]));
    expect(knownCost(changed, [1])).toBeUndefined();
    expect(knownCost(learnPrice(changed, { segments: 1, messages: 1, credits: 2 }), [1])).toBe(2);
  });
});

describe('the record', () => {
  it('is plain JSON, stays as it was when a receipt is added, and is checked', () => {
    const before = learned([1, 1]);
    const after = learnPrice(before, { segments: 2, messages: 1, credits: 2 });
    expect(before).toEqual(learned([1, 1]));
    expect(Prices.parse(JSON.parse(JSON.stringify(after)))).toEqual(after);
    expect(
      Prices.safeParse({ bySegments: { '1': { credits: -1, inARow: 1, contradicted: false } } }).success,
    ).toBe(false);
    expect(
      Prices.safeParse({ bySegments: { one: { credits: 1, inARow: 1, contradicted: false } } }).success,
    ).toBe(false);
  });

  it('learns nothing from a receipt without messages', () => {
    expect(learned([1, 0, 0])).toEqual(NO_PRICES);
  });

  it('recovers any price per segment and any price per message from their receipts', () => {
    const counts = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(counts, fc.integer({ min: 1, max: 9 }), counts, (seen, price, asked) => {
        const perSegment = learned(
          [1, price],
          [2, 2 * price],
          ...seen.map((each): [number, number] => [each, each * price]),
        );
        expect(knownCost(perSegment, asked)).toBe(asked.reduce((sum, each) => sum + each * price, 0));
        const perMessage = learned(
          [1, price],
          [2, price],
          ...seen.map((each): [number, number] => [each, price]),
        );
        expect(knownCost(perMessage, asked)).toBe(asked.length * price);
      }),
    );
  });
});
