import { expect, test } from 'vitest';
import { readRetryAfter } from '../../src/sms/retry-after-header.ts';

const date = 'Wed, 21 Oct 2015 07:28:00 GMT';

test.each([
  // A server may round a wait under a second down to 0.
  ['0', 1000],
  [' 12 ', 12_000],
  ['600', 600_000],
  ['601', 600_000],
  ['99999999999999999999', 600_000],
  ['Wed, 21 Oct 2015 07:28:30 GMT', 30_000],
  ['Wed, 21 Oct 2015 07:27:00 GMT', 1000],
  ['Wed, 21 Oct 2015 09:28:00 GMT', 600_000],
])('%s is %d ms', (text, ms) => expect(readRetryAfter(text, date)).toBe(ms));

test.each([undefined, '', '-5', '1.5', 'soon', '12 s', '2015-10-21', 'Wed, 99 Oct 2015 07:28:00 GMT'])(
  '%j cannot be read',
  (text) => expect(readRetryAfter(text, date)).toBeUndefined(),
);

test('without a Date header our own clock counts', () => {
  const inOneMinute = new Date(Date.now() + 60_000).toUTCString();
  const ms = readRetryAfter(inOneMinute, undefined);
  expect(ms).toBeGreaterThan(50_000);
  expect(ms).toBeLessThanOrEqual(60_000);
  expect(readRetryAfter(inOneMinute, 'yesterday')).toBeGreaterThan(50_000);
});
