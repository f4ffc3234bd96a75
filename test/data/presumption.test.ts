import { expect, test } from 'vitest';
import { createPresumption } from '../../src/data/presume-forgotten.ts';
import { createLedger } from '../../src/ledger/create-ledger.ts';
import type { Forgotten } from '../../src/ledger/sends/presume-taken.ts';
import type { RedisClient } from '../../src/store/redis/connect.ts';
import { createSteps } from '../../src/store/steps.ts';
import { aSingle, handClock, LIMITS } from '../helpers/ledger-fixtures.ts';
import { createMemoryEngine } from '../helpers/memory-engine.ts';

const NOW = Date.UTC(2026, 0, 5, 9);

const HOUR_MS = 3_600_000;

/** A server that a bot first found just now. Its clock is `aheadMs` ahead, and the bot learns that by its first step. */
function startFailedOver(aheadMs = -HOUR_MS, allowVolatile = false, since = 0) {
  const info = `run_id:abc\r\nmaster_replid2:${'0'.repeat(40)}\r\n`;
  const client: RedisClient = {
    sendCommand: async ([name]) => (name === 'INFO' ? info : [`abc ${since}`, '0']),
  };
  let now = NOW;
  const presumed: number[] = [];
  const decisions: boolean[] = [];
  const ledger = {
    now: () => now,
    async presumeForgotten({ begunBefore, doubt }: Forgotten) {
      presumed.push(begunBefore);
      decisions.push(doubt !== undefined);
      now = NOW + aheadMs;
      if (presumed.length === 1) throw new Error('no answer');
    },
  };
  return { presume: createPresumption(ledger, client, allowVolatile), presumed, decisions };
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

test('a second try goes by the clock that is ahead: a third server may lack texts that bots took at the second', async () => {
  const { presume, presumed } = startFailedOver(HOUR_MS);
  await presume().catch(() => undefined);
  await presume();
  expect(presumed[1]).toBeGreaterThanOrEqual(NOW + HOUR_MS);
});

test('if the clock of the server before was set back, texts from before that may be forgotten, too', async () => {
  const { presume, presumed } = startFailedOver(HOUR_MS, false, NOW + HOUR_MS);
  await presume().catch(() => undefined);
  expect(presumed).toEqual([NOW + HOUR_MS]);
});

test('a start at a server whose clock is behind still knows what people began just before the failover', async () => {
  const clock = handClock();
  const engine = createMemoryEngine(clock.now);
  const ledger = createLedger(createSteps(engine), LIMITS);
  await ledger.draft(aSingle('s1'));
  clock.set(clock.now() - 3000);
  const client: RedisClient = {
    sendCommand: () => Promise.reject(new Error('a start has found its server')),
  };
  await createPresumption(
    ledger,
    client,
    false,
  )({ name: 'r2', since: clock.now(), forMs: 0, wasReplica: true, replicas: 0 });
  expect(await ledger.find('s1')).toMatchObject({ mayBeSent: 'r2' });
});

test.each([false, true])(
  'a server that never was a replica may lack decisions only if it is volatile: %s',
  async (isVolatile) => {
    const { presume, decisions } = startFailedOver(0, isVolatile);
    await presume().catch(() => undefined);
    expect(decisions).toEqual([isVolatile]);
  },
);

test.each([3000, HOUR_MS])(
  'if the clock was set back by %d ms between two reconnects, what was done in the last seconds may be forgotten, too',
  async (backMs) => {
    let now = NOW;
    const presumed: number[] = [];
    const ledger = {
      now: () => now,
      presumeForgotten: async ({ begunBefore }: Forgotten) => void presumed.push(begunBefore),
    };
    const info = `run_id:abc\r\nmaster_replid2:${'1'.repeat(40)}\r\n`;
    const client: RedisClient = { sendCommand: async ([name]) => (name === 'INFO' ? info : ['abc 0', '0']) };
    const presume = createPresumption(ledger, client, false);
    await presume();
    now = NOW - backMs;
    await presume();
    // The ledger itself knows texts from further ahead as such.
    expect(presumed[1]).toBeGreaterThanOrEqual(now + Math.min(backMs, 4000));
    expect(presumed[1]).toBeLessThan(now + 10_000);
  },
);
