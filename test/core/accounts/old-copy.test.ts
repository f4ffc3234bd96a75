import { expect, test } from 'vitest';
import { isCurrent } from '../../../src/core/accounts/old-copy.ts';

test('a draft that no balance shows to be current takes five permits of its key at most', async () => {
  let reads = 0;
  const clock = { steady: () => 0, sleep: async () => {} };
  const deps = {
    books: { mayBeOld: () => true, canCompare: async () => true },
    credit: {
      async read() {
        reads += 1;
        if (reads > 9) throw new Error('it reads for ever');
        return { kind: 'ok' };
      },
    },
    limits: { leaseMs: 1000 },
    clock,
  };
  type Asked = Parameters<typeof isCurrent>;
  const instance = { accountId: 'a1' } as Asked[1];
  expect(await isCurrent(deps as unknown as Asked[0], instance, 0)).toBe(false);
  expect(reads).toBe(5);
});
