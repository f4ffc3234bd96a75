import { expect, it } from 'vitest';
import type { JobResult } from '../../../src/core/jobs/job-results.ts';
import { readNumberCell } from '../../../src/core/lists/number-cell.ts';
import { numberInCell } from '../../../src/core/texts/phone-format.ts';
import { resultsCsv } from '../../../src/slack/files/results-file.ts';

const sent: JobResult = {
  row: 2,
  e164: '+442079460958',
  state: 'sent',
  messageId: 7,
  credits: 1,
  at: Date.UTC(2026, 6, 1, 12, 5, 9),
};

async function linesOf(results: JobResult[], timeZone = 'UTC'): Promise<string[]> {
  return Buffer.from(await resultsCsv(results, timeZone))
    .toString()
    .slice(1)
    .trimEnd()
    .split('\r\n');
}

it('says first who a recipient is, then the outcome, with times in the reader’s zone', async () => {
  expect(await linesOf([sent], 'Europe/London')).toEqual([
    'row,phone,outcome,message id,credits,time (Europe/London),reason',
    '2,(+44) 2079460958,sent,7,1,2026-07-01 13:05:09,',
  ]);
});

it.each(['=1+1', '@x', '-2', '+44 20'])('takes the edge off %s in the service’s words', async (words) => {
  const [, row] = await linesOf([{ e164: '+12025550123', state: 'rejected', words }]);
  expect(row).toBe(`,(+1) 2025550123,rejected,,,,'${words}`);
});

it.each([
  ['+12025550123', '(+1) 2025550123'],
  ['+79161234567', '(+7) 9161234567'],
  ['+447700900123', '(+44) 7700900123'],
  ['+4915112345678', '(+49) 15112345678'],
  ['+353851234567', '(+353) 851234567'],
  ['+390612345678', '(+39) 0612345678'],
])('writes %s as %s, which a list reads back', (e164, cell) => {
  expect(numberInCell(e164)).toBe(cell);
  expect(readNumberCell(cell, undefined)).toMatchObject({ kind: 'number', e164 });
});
