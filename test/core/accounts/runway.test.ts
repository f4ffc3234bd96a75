import { describe, expect, test } from 'vitest';
import { runwayOf, usedByDay } from '../../../src/core/accounts/runway.ts';
import { runwayWords } from '../../../src/slack/ui/words.ts';

const TODAY = 20_000;
const days = (count: number, credits: number) => Array.from({ length: count }, () => credits);

describe('the runway', () => {
  test('is one figure if every day is like the others', () => {
    expect(runwayOf({ used: days(28, 10), left: 125, today: TODAY })).toEqual({
      days: 12,
      earliest: TODAY + 12,
      latest: TODAY + 12,
    });
  });

  test('is a range between the fastest and the slowest pace of late', () => {
    const used = [...days(14, 20), ...days(7, 10), ...days(7, 5)];
    // The use a day: 5 in the last week, 7.5 in two weeks, 13.75 in four.
    expect(runwayOf({ used, left: 150, today: TODAY })).toEqual({
      days: 10,
      earliest: TODAY + 10,
      latest: TODAY + 30,
    });
  });

  test('has no end if nothing was used lately', () => {
    const used = [...days(21, 20), ...days(7, 0)];
    expect(runwayOf({ used, left: 150, today: TODAY })).toEqual({ days: 10, earliest: TODAY + 10 });
  });

  test('uses fewer days if the books are younger', () => {
    expect(runwayOf({ used: [4, 4, 10, 10], left: 70, today: TODAY })).toEqual({
      days: 10,
      earliest: TODAY + 7,
      latest: TODAY + 10,
    });
  });

  test('is over if running jobs take all that is left', () => {
    expect(runwayOf({ used: days(28, 10), left: -5, today: TODAY })).toEqual({
      days: 0,
      earliest: TODAY,
      latest: TODAY,
    });
  });

  test.each([
    ['two days', [10, 10]],
    ['no use', days(28, 0)],
    ['use on one day', [...days(20, 0), 500]],
    ['nothing', []],
  ])('is not told by %s', (_name, used) => {
    expect(runwayOf({ used, left: 100, today: TODAY })).toBeUndefined();
  });
});

describe('the use of each day', () => {
  const day = { day: TODAY - 2, opening: 100, closing: 170 };
  const topUp = { kind: 'topped_up' as const, from: 0, to: 1, credits: 90 };

  test('is the fall of the balance, plus top-ups', () => {
    const found = usedByDay({ opening: 100, closing: 170, days: [{ ...day, differences: [topUp] }] }, TODAY);
    expect(found).toHaveLength(28);
    expect(found.slice(-3)).toEqual([0, 20, 0]);
  });

  test('begins with the first whole day of the books', () => {
    const since = (TODAY - 3) * 86_400_000 + 5;
    expect(usedByDay({ since, opening: 1, closing: 1, days: [] }, TODAY)).toEqual([0, 0]);
    expect(usedByDay({ since: TODAY * 86_400_000, opening: 1, closing: 1, days: [] }, TODAY)).toEqual([]);
  });
});

test.each([
  [{ days: 12, earliest: 20_785, latest: 20_790 }, 'about 12 days left at this pace (28 Nov – 3 Dec)'],
  [{ days: 1, earliest: 20_785, latest: 20_785 }, 'about 1 day left at this pace (28 Nov)'],
  [{ days: 12, earliest: 20_785 }, 'about 12 days left at this pace (28 Nov or later)'],
  [{ days: 12, earliest: 20_785, latest: 29_000 }, 'about 12 days left at this pace (28 Nov or later)'],
  [{ days: 0, earliest: 20_785, latest: 20_785 }, 'less than a day left at this pace (28 Nov)'],
  [{ days: 366, earliest: 20_785, latest: 29_000 }, 'more than a year left at this pace'],
])('a runway of %o is said as “%s”', (runway, words) => {
  expect(runwayWords(runway)).toBe(words);
});
