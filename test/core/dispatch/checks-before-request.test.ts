import pino from 'pino';
import { expect, test } from 'vitest';
import type { Attempt } from '../../../src/core/dispatch/attempt.ts';
import type { AttemptDeps } from '../../../src/core/dispatch/attempts.ts';
import { createHoldBack } from '../../../src/core/dispatch/checks-before-request.ts';

test('a chunk whose check fails for good is tried less and less often, and goes back each time', async () => {
  const log = pino({ enabled: false });
  const holdBack = createHoldBack({ log } as AttemptDeps);
  const settlements = [1, 2, 3, 6, 7, 5000].map(async (attempt) => {
    const send = { id: 's1', kind: 'job', details: { accountId: 0 } };
    const tried = { instance: {}, send, chunk: { attempt, messages: [] }, retryMs: 1000 };
    return (await holdBack(tried as unknown as Attempt))?.settlement;
  });
  expect(await Promise.all(settlements)).toMatchObject(
    [1000, 2000, 4000, 32_000, 60_000, 60_000].map((waitMs) => ({
      to: 'pending',
      request: 'never_started',
      waitMs,
    })),
  );
});

test('a text is too old only once its undo time, the longest wait and ten seconds are over', async () => {
  const longestMs = 120_000 + 600_000 + 10_000;
  for (const [waitedMs, isStale] of [
    [longestMs, false],
    [longestMs + 1, true],
  ] as const) {
    const holdBack = createHoldBack({
      log: pino({ enabled: false }),
      clock: { wall: () => 1_000_000 },
      confirmedHere: { get: () => 1_000_000 - waitedMs },
      optOuts: { leaveOut: async () => ({ optedOut: [] }) },
    } as unknown as AttemptDeps);
    const send = { id: 's1', kind: 'single', details: {}, decidedAt: 5000, startsAt: 125_000 };
    const attempt = { instance: {}, send, chunk: { attempt: 1, messages: [] }, retryMs: 1000 };
    const held = await holdBack(attempt as unknown as Attempt);
    expect(held?.outcome.outcome).toBe(isStale ? 'stale' : undefined);
  }
});
