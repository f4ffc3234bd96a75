import { expect, test } from 'vitest';
import { createBooks } from '../../../src/core/accounts/books.ts';
import type { Instance } from '../../../src/core/accounts/instances.ts';
import { createLedger } from '../../../src/ledger/create-ledger.ts';
import { createSteps } from '../../../src/store/steps.ts';
import { aSingle, confirmed, handClock, LIMITS, states } from '../../helpers/ledger-fixtures.ts';
import { createMemoryEngine } from '../../helpers/memory-engine.ts';

/** The books of an account without jobs, whose texts cost a credit each. */
function booksOf(ledger: object) {
  const warnings: unknown[] = [];
  const deps = {
    ledger,
    instances: { ofAccount: async () => [] },
    refusals: { isWatched: () => false, fallBack: async () => {} },
    log: { warn: (said: unknown) => warnings.push(said) },
    mostCredits: async (_account: string, texts: string[]) => texts.length,
    clock: { steady: () => 0 },
    leaseMs: 1,
    sameServerForMs: 1,
  };
  return { books: createBooks(deps as unknown as Parameters<typeof createBooks>[0]), warnings };
}

test('after two reconnects, the second to a server whose clock is behind, a draft from before both may be old', () => {
  let now = 10_000;
  const ledger = { now: () => now };
  const { books } = booksOf(ledger);
  now = 20_000;
  books.doubtAll();
  now = 15_000;
  books.doubtAll();
  expect(books.mayBeOld('a1', 19_999)).toBe(true);
  expect(books.mayBeOld('a1', 20_001)).toBe(false);
});

test('a text that the store only presumes to be taken explains no missing credits', async () => {
  const clock = handClock();
  const ledger = createLedger(createSteps(createMemoryEngine(clock.now)), LIMITS);
  await ledger.recordBalance(await ledger.markBalanceRead('a1'), 100);
  clock.advance(1);
  await confirmed(ledger, aSingle('s1', { account: 'a1' }));
  await ledger.presumeForgotten({ begunBefore: clock.now() });
  clock.advance(LIMITS.leaseMs);
  await ledger.recover();
  expect(await states(ledger, 's1')).toEqual(['unknown']);
  const { books, warnings } = booksOf(ledger);
  await books.compare({ accountId: 'a1' } as Instance, await ledger.markBalanceRead('a1'), 99);
  expect(warnings).toEqual([{ account: 'a1', missing: 1 }]);
});

test('a read that is older than the baseline, since somebody topped up meanwhile, shows no old copy', async () => {
  const account = {
    id: 'a1',
    activity: 1,
    credits: 200,
    booked: 200,
    baselineAt: 5,
  };
  const ledger = { now: () => 0, account: async () => account, evidenceCase: async () => undefined };
  const { books, warnings } = booksOf(ledger);
  const instance = { accountId: 'a1' } as Instance;
  const marker = { account: 'a1', activity: 1, nothingSending: true, idle: true };
  expect(await books.compare(instance, { ...marker, baselineAt: 4 }, 100)).toBe(false);
  expect(warnings).toEqual([]);
  expect(await books.compare(instance, { ...marker, baselineAt: 5 }, 200)).toBe(true);
});
