import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { startRounds } from '../../src/core/rounds.ts';
import { createGate } from '../helpers/core-ledger.ts';
import { eventually } from '../helpers/core-sends.ts';

const log = pino({ enabled: false });

describe('rounds', () => {
  test('begin at once and repeat, even if one fails, and none waits for another', async () => {
    const ran = { quick: 0, failing: 0, slow: 0 };
    const gate = createGate();
    const rounds = startRounds(
      [
        {
          name: 'quick',
          everyMs: 1,
          async work() {
            ran.quick += 1;
          },
        },
        {
          name: 'failing',
          everyMs: 1,
          async work() {
            ran.failing += 1;
            throw new Error('the disk is full');
          },
        },
        {
          name: 'slow',
          everyMs: 1,
          async work() {
            ran.slow += 1;
            await gate.pass();
          },
        },
      ],
      { clock: systemClock, log },
    );
    expect(ran).toEqual({ quick: 1, failing: 1, slow: 1 });
    await eventually(() => {
      expect(ran.quick).toBeGreaterThan(3);
      expect(ran.failing).toBeGreaterThan(3);
    });
    expect(ran.slow).toBe(1);
    gate.open();
    await rounds.stop();
  });

  test('stop without waiting for the next round, but not before the work under way is done', async () => {
    const gate = createGate();
    let done = false;
    let signalled = false;
    const rounds = startRounds(
      [
        { name: 'hourly', everyMs: 3_600_000, work: async () => {} },
        {
          name: 'working',
          everyMs: 3_600_000,
          async work(signal) {
            signal.addEventListener('abort', () => {
              signalled = true;
            });
            await gate.pass();
            done = true;
          },
        },
      ],
      { clock: systemClock, log },
    );
    const stopped = rounds.stop();
    expect(signalled).toBe(true);
    expect(done).toBe(false);
    gate.open();
    await stopped;
    expect(done).toBe(true);
  });
});
