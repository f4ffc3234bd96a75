import { array, assert, boolean, constantFrom, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRateWindows } from '../src/rate.ts';
import { createSandbox } from '../src/sandbox.ts';
import { createSwitches, type SwitchesPatch } from '../src/switches.ts';
import { callsTo } from './call.ts';

const MINUTE = 60_000;

function windowsWith(patch: SwitchesPatch) {
  const windows = createRateWindows(createSwitches(patch).now);
  return (now: number) => windows.arrive('key', now);
}

describe('sliding window', () => {
  it('has room again exactly one window after its oldest request', () => {
    const arrive = windowsWith({ rateLimit: 2, rateWindow: 'sliding' });
    expect([arrive(0), arrive(50_000), arrive(59_999)]).toEqual([null, null, 1]);
    expect([arrive(MINUTE), arrive(MINUTE)]).toEqual([null, 50_000]);
  });

  it('holds no more than the limit, wherever the window begins', () => {
    assert(
      property(
        array(integer({ min: 0, max: 40 }), { maxLength: 60, size: 'max' }),
        integer({ min: 1, max: 5 }),
        (gaps, limit) => {
          const arrive = windowsWith({ rateLimit: limit, rateWindowMs: 100 });
          let now = 0;
          const passed: number[] = [];
          for (const gap of gaps) {
            now += gap;
            if (arrive(now) === null) passed.push(now);
          }
          for (const start of passed) {
            expect(passed.filter((at) => at >= start && at < start + 100).length).toBeLessThanOrEqual(limit);
          }
        },
      ),
    );
  });
});

describe('fixed window', () => {
  it('restarts its count at its edge, so that two full bursts may meet there', () => {
    const arrive = windowsWith({ rateLimit: 2, rateWindow: 'fixed' });
    expect([arrive(59_998), arrive(59_999), arrive(59_999)]).toEqual([null, null, 1]);
    expect([arrive(MINUTE), arrive(MINUTE), arrive(MINUTE + 1)]).toEqual([null, null, 59_999]);
  });

  it('has its edges at the offset', () => {
    const arrive = windowsWith({ rateLimit: 1, rateWindow: 'fixed', rateOffsetMs: 10_000 });
    expect([arrive(9_999), arrive(10_000), arrive(69_999), arrive(70_000)]).toEqual([null, null, 1, null]);
  });
});

describe('both windows', () => {
  it('return the wait after which a request passes, and before which none does', () => {
    const rules = constantFrom('sliding' as const, 'fixed' as const);
    const offsets = integer({ min: 0, max: 150 });
    assert(
      property(
        array(integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 60, size: 'max' }),
        rules,
        offsets,
        boolean(),
        (gaps, rateWindow, rateOffsetMs, rateCountsRefused) => {
          const patch = { rateLimit: 3, rateWindowMs: 100, rateWindow, rateOffsetMs, rateCountsRefused };
          /** Makes the same requests each time: the one that is too early may count, too. */
          function firstWait() {
            const arrive = windowsWith(patch);
            let now = 0;
            let wait: number | null = null;
            for (const gap of gaps) {
              now += gap;
              wait = arrive(now);
            }
            while (wait === null) wait = arrive(now);
            return { arrive, now, wait };
          }
          const early = firstWait();
          expect(early.wait).toBeGreaterThan(0);
          expect(early.arrive(early.now + early.wait - 1)).not.toBeNull();
          const inTime = firstWait();
          expect(inTime.arrive(inTime.now + inTime.wait)).toBeNull();
        },
      ),
    );
  });

  it('count refused requests if the switch says so: a client that never pauses then never gets in', () => {
    for (const rateCountsRefused of [false, true]) {
      const arrive = windowsWith({ rateLimit: 1, rateCountsRefused });
      const answers = [arrive(0), arrive(40_000), arrive(80_000)];
      expect(answers[2] === null).toBe(!rateCountsRefused);
    }
  });

  it('follow the switches while the sandbox runs, by its own clock', async () => {
    const sandbox = await createSandbox({
      switches: { rateLimit: 1, rateWindowMs: 50, rateWindow: 'fixed' },
    });
    const { balance } = callsTo(sandbox);
    const deadline = performance.now() + 20_000;
    let passed = 0;
    while (passed < 3 && performance.now() < deadline) if ((await balance()).status === 200) passed += 1;
    expect(passed).toBe(3);
    sandbox.setSwitches({ rateWindowMs: 3_600_000 });
    await balance();
    expect((await balance()).status).toBe(429);
    sandbox.reset();
    expect((await balance()).status).toBe(200);
    await sandbox.close();
  });
});
