import { expect, test } from 'vitest';
import { benchBulkSimulated } from '../bench/bulk-simulated.ts';

test('a job in simulated time uses the rate limit to the full', async () => {
  const { figures } = await benchBulkSimulated({ requests: 120 });
  expect(figures.map(({ what, target }) => [what, target?.isReached])).toEqual([
    ['120 requests, answers after 50 ms', true],
    ['120 requests, answers after 300 ms', true],
  ]);
});
