import { expect, onTestFinished, test } from 'vitest';
import type { Instance } from '../../../src/core/accounts/instances.ts';
import { createFunds } from '../../../src/core/dispatch/funds.ts';
import { createLedger } from '../../../src/ledger/create-ledger.ts';
import { createSqliteEngine } from '../../../src/store/sqlite/engine.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { createSteps } from '../../../src/store/steps.ts';
import { createTime } from '../../helpers/core-time.ts';
import { tempFolder } from '../../helpers/ledger-files.ts';
import { aJob, confirmed, forJobs, LIMITS, taken } from '../../helpers/ledger-fixtures.ts';

/** An account of 25 credits, and what asks the service about it. */
async function start({ isSettled = (): boolean => true } = {}) {
  const time = createTime();
  const db = openDatabase(tempFolder());
  onTestFinished(() => db.close());
  const ledger = createLedger(createSteps(createSqliteEngine(db)), LIMITS);
  const marker = await ledger.markBalanceRead('a1');
  const { account } = await ledger.recordBalance(marker, 25);
  const asked: string[] = [];
  const funds = createFunds({
    ledger,
    credit: {
      async readFresh({ accountId }) {
        asked.push(accountId);
        const settled = { isSettled: isSettled(), quiet: isSettled() };
        return { kind: 'ok', credits: 25, userName: 'Acme', readAt: 0, ...settled, account };
      },
    },
    prices: { mostCredits: async (_account, texts) => texts.length },
    clock: time.clock,
  });
  return { ledger, funds, asked, time };
}

const paying = (accountId: string) => ({ accountId }) as Instance;

test('a job that is short pauses, even if a smaller one of its account can be paid meanwhile', async () => {
  const { ledger, funds, asked } = await start();
  const instance = paying('a1');
  await confirmed(ledger, aJob('big', [30]));
  const big = await taken(ledger, forJobs());
  expect(await funds.shortfall(instance, big.chunk)).toMatchObject({ required: 30, sure: false });
  await ledger.settle(big.ref, big.token, { to: 'pending', request: 'never_started', waitMs: 0 });
  await funds.askForShortJobs(instance);
  await confirmed(ledger, aJob('small', [1]));
  const small = await taken(ledger, forJobs());
  expect(small.send.id).toBe('small');
  expect(await funds.shortfall(instance, small.chunk)).toBeUndefined();
  const again = await taken(ledger, forJobs());
  expect(again.send.id).toBe('big');
  expect(await funds.shortfall(instance, again.chunk)).toMatchObject({ required: 30, sure: true });
  expect(asked).toEqual(['a1']);
});

test('credits for what is on its way are not spent once more', async () => {
  const { ledger, funds } = await start();
  await confirmed(ledger, aJob('job', [15, 15]));
  const first = await taken(ledger, forJobs());
  expect(await funds.shortfall(paying('a1'), first.chunk)).toBeUndefined();
  const second = await taken(ledger, forJobs());
  expect(await funds.shortfall(paying('a1'), second.chunk)).toMatchObject({ required: 15, available: 10 });
});

test('what the service said counts for ten seconds', async () => {
  const { ledger, funds, time } = await start();
  const instance = paying('a1');
  await confirmed(ledger, aJob('big', [30]));
  const { chunk } = await taken(ledger, forJobs());
  await funds.shortfall(instance, chunk);
  await funds.askForShortJobs(instance);
  time.jump('steady', 10_001);
  expect(await funds.shortfall(instance, chunk)).toMatchObject({ sure: false });
});

test('what the service said of one account counts for no other', async () => {
  const { ledger, funds, asked } = await start();
  await confirmed(ledger, aJob('big', [30]));
  const { chunk } = await taken(ledger, forJobs());
  expect(await funds.shortfall(paying('a1'), chunk)).toMatchObject({ sure: false });
  await funds.askForShortJobs(paying('a1'));
  expect(await funds.shortfall(paying('a2'), chunk)).toMatchObject({ sure: false });
  await funds.askForShortJobs(paying('a2'));
  expect(await funds.shortfall(paying('a2'), chunk)).toMatchObject({ sure: true });
  expect(asked).toEqual(['a1', 'a2']);
});

test('nobody asks about a job that was stopped while it was short, once 90 seconds have passed', async () => {
  const { ledger, funds, asked, time } = await start();
  const instance = paying('a1');
  await confirmed(ledger, aJob('big', [30]));
  const { chunk } = await taken(ledger, forJobs());
  expect(await funds.shortfall(instance, chunk)).toMatchObject({ sure: false });
  await ledger.stop('big');
  time.jump('steady', 90_000);
  await funds.askForShortJobs(instance);
  expect(asked).toEqual([]);
});

test('a request in flight may hide a top-up: nothing pauses before its end, and reads become rare', async () => {
  let isSettled = false;
  const { ledger, funds, asked, time } = await start({ isSettled: () => isSettled });
  const instance = paying('a1');
  await confirmed(ledger, aJob('big', [30]));
  const { chunk } = await taken(ledger, forJobs());
  await funds.shortfall(instance, chunk);
  const waits: number[] = [];
  for (let read = 0; read < 6; read += 1) {
    const { waitMs } = await funds.askForShortJobs(instance);
    waits.push(Math.round(waitMs / 100) * 100);
    // Something else wakes the queue too early: nobody reads again.
    const early = await funds.askForShortJobs(instance);
    expect(Math.abs(early.waitMs - waitMs)).toBeLessThan(100);
    time.jump('steady', waitMs);
  }
  expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 8000]);
  expect(await funds.shortfall(instance, chunk)).toMatchObject({ sure: false });
  isSettled = true;
  expect(await funds.askForShortJobs(instance)).toEqual({ waitMs: 0 });
  const short = await funds.shortfall(instance, chunk);
  expect(short).toMatchObject({ sure: true });
  expect(short).not.toHaveProperty('asOf');
  expect(asked).toHaveLength(7);
});

test('a request in flight holds a job up for less than a minute, and the pause says how old the figure is', async () => {
  const { ledger, funds, time } = await start({ isSettled: () => false });
  const instance = paying('a1');
  await confirmed(ledger, aJob('big', [30]));
  const { chunk } = await taken(ledger, forJobs());
  await funds.shortfall(instance, chunk);
  let waited = 0;
  for (let waitMs = 1; waitMs > 0; waited += waitMs) {
    ({ waitMs } = await funds.askForShortJobs(instance));
    time.jump('steady', waitMs);
  }
  expect(waited).toBeLessThan(60_000);
  expect(await funds.shortfall(instance, chunk)).toMatchObject({ sure: true, asOf: expect.any(Number) });
});
