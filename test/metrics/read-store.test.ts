import { expect, test } from 'vitest';
import { readStore, type Sources } from '../../src/metrics/read-store.ts';

test('lags are exactly zero if nothing waits, though time passes meanwhile', async () => {
  let now = 1000;
  const ledger = {
    now: () => now++,
    countUndecided: async () => 0,
    backlog: async () => ({ waiting: { interactive: 0, background: 0 } }),
  };
  const sources = { ledger, records: { instances: { list: async () => [] } } } as unknown as Sources;
  expect(await readStore(sources)).toMatchObject({ jobLag: 0, outboxLag: 0 });
});
