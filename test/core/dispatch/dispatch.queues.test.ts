import pino from 'pino';
import { expect, test } from 'vitest';
import { createDispatch } from '../../../src/core/dispatch/dispatch.ts';

type Deps = Parameters<typeof createDispatch>[0];

const turnOfTheLoop = () => new Promise((resolve) => setTimeout(resolve, 0));

test.each([0, 1, 2, 3])(
  'a text that is decided %i turns after two looks for work ended at once is looked for',
  async (turns) => {
    const looks: (() => void)[] = [];
    const part = {
      ledger: {
        now: () => 0,
        take: () => new Promise((resolve) => looks.push(() => resolve({ kind: 'idle' }))),
      },
      instances: { get: async () => ({ keyFingerprint: 'k1', accountId: 'a1' }), keyOf: () => 'key' },
      attempts: { isBlocked: () => false },
      books: { uncomparedStart: () => undefined },
      clock: { steady: () => performance.now(), wall: () => Date.now() },
    };
    const dispatch = createDispatch({
      ...(part as unknown as Deps),
      leaseMs: 1000,
      log: pino({ enabled: false }),
    });
    const wake = () => dispatch.wake('T1', 'i1', 'interactive');
    for (const looking of [1, 2]) {
      wake();
      await expect.poll(() => looks.length).toBe(looking);
    }
    for (const end of looks.splice(0)) end();
    for (let turn = 0; turn < turns; turn += 1) await turnOfTheLoop();
    wake();
    await expect.poll(() => looks.length).toBe(1);
    looks[0]?.();
    await dispatch.drain();
  },
);
