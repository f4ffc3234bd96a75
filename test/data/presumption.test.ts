import { expect, test } from 'vitest';
import { createPresumption } from '../../src/data/shared.ts';
import type { RedisClient } from '../../src/store/redis/connect.ts';

const NOW = Date.UTC(2026, 0, 5, 9);

/** A server that a bot first found just now. Its clock is an hour behind, and the bot learns that by its first step. */
function startFailedOver() {
  const client: RedisClient = {
    sendCommand: async ([name]) => (name === 'INFO' ? 'run_id:abc' : '0'),
  };
  let now = NOW;
  const presumed: number[] = [];
  const ledger = {
    now: () => now,
    async presumeTaken(begunBefore: number) {
      presumed.push(begunBefore);
      now = NOW - 3_600_000;
      if (presumed.length === 1) throw new Error('no answer');
    },
  };
  return { presume: createPresumption(ledger, client), presumed };
}

test('a second try still goes by the clock of the server before: the texts have their times from it', async () => {
  const { presume, presumed } = startFailedOver();
  await expect(presume()).rejects.toThrow('no answer');
  await presume();
  expect(presumed[1]).toBeGreaterThanOrEqual(NOW);
});

test('the next reconnect goes by the clock of the server in between', async () => {
  const { presume, presumed } = startFailedOver();
  await presume().catch(() => undefined);
  await presume();
  await presume();
  expect(presumed[2]).toBeLessThan(NOW);
});
