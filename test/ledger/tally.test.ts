import { expect, test } from 'vitest';
import { emptyCounts, tallyOf, withChunkRecounted } from '../../src/ledger/model/tally.ts';

test.each(['queued', '', 'constructor', '__proto__'])('the service may call a status "%s"', (otherStatus) => {
  const one = { state: 'sent', otherStatus, size: 3 } as const;
  const failed = { ...one, otherStatus: 'failed' };
  const counts = [failed, one, one].reduce(
    (before, each) => withChunkRecounted(before, undefined, each),
    emptyCounts(),
  );
  const { otherStatuses } = tallyOf({ record: {}, tally: JSON.parse(JSON.stringify(counts)) });
  expect(Object.entries(otherStatuses)).toEqual([
    ['failed', 3],
    [otherStatus, 6],
  ]);
});
