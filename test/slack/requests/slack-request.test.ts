import { expect, test } from 'vitest';
import { createFirstHere } from '../../../src/slack/requests/slack-request.ts';

test('a request comes first once, as long as it is among the last ten thousand', () => {
  const isFirstHere = createFirstHere();
  expect([isFirstHere('a'), isFirstHere('a')]).toEqual([true, false]);
  for (let i = 0; i < 9999; i += 1) expect(isFirstHere(`b${i}`)).toBe(true);
  expect(isFirstHere('a')).toBe(false);
  expect(isFirstHere('c')).toBe(true);
  expect(isFirstHere('a')).toBe(true);
});
