import { expect, test } from 'vitest';
import { dailySpending } from '../../src/ledger/accounts/account-documents.ts';
import { createLedger } from '../../src/ledger/create-ledger.ts';
import { createSteps } from '../../src/store/steps.ts';
import { handClock, inFlight, LIMITS, REJECTED, unknownSingle } from '../helpers/ledger-fixtures.ts';
import { createMemoryEngine } from '../helpers/memory-engine.ts';

const DAY_MS = 86_400_000;

test('a day that an earlier version began counts only sent texts; the next day counts all', async () => {
  const clock = handClock();
  const steps = createSteps(createMemoryEngine(clock.now));
  const ledger = createLedger(steps, LIMITS);
  await ledger.recordBalance(await ledger.markBalanceRead('a1'), 100);
  const day = Math.floor(clock.now() / DAY_MS);
  const old = { team: 'T1', channelId: 'C1', by: 'U1', day, account: 'a1', credits: 5, messages: 5 };
  await steps.run((view) => {
    view.getAssumingAbsent(dailySpending, `T1/C1/${day}/U1/a1`);
    view.put(dailySpending, `T1/C1/${day}/U1/a1`, old);
  });

  const { ref, token } = await inFlight(ledger, 's1');
  await ledger.settle(ref, token, REJECTED);
  const unknown = await unknownSingle(ledger, 's2');
  clock.advance(DAY_MS);
  await ledger.saySent({ send: 's2', indexes: [0] }, 'U2');
  await ledger.settle(unknown.ref, unknown.token, REJECTED);
  expect((await ledger.accountStatement('a1', { from: 0, to: day + 1 }))?.spending).toEqual([
    old,
    { ...old, day: day + 1, credits: 0, messages: 0, others: { arrived: 0, notSent: 1, unknown: 0 } },
  ]);
});
