import { describe, expect, test } from 'vitest';
import { createRemoteClock } from '../../src/store/redis/clock.ts';

/** A local clock that the test moves, and a remote clock ahead of it. */
function clocks() {
  const local = { at: 1000 };
  const clock = createRemoteClock(() => local.at);
  return { local, clock };
}

describe('the clock of Redis, as far as it is known here', () => {
  test('is not known before the first answer', () => {
    const { clock } = clocks();
    expect(clock.isKnown()).toBe(false);
    clock.observe(5_000_000, 1000, 1010);
    expect(clock.isKnown()).toBe(true);
  });

  test('lies between asking and hearing', () => {
    const { clock, local } = clocks();
    clock.observe(5_000_000, 1000, 1010);
    local.at = 1010;
    expect(clock.now()).toBe(5_000_005);
  });

  test('the earliest possible time is never later than the real time, though timers round and clocks drift', () => {
    const { clock } = clocks();
    clock.observe(5_000_000, 1000, 1010);
    expect(clock.earliest(1010)).toBe(4_999_995);
    expect(clock.earliest(2010)).toBe(5_000_994);
    expect(clock.earliest(101_010)).toBe(5_099_895);
  });

  test('a more exact answer is preferred, until it is old', () => {
    const { clock } = clocks();
    clock.observe(5_000_000, 1000, 1002);
    clock.observe(5_000_010, 1003, 1100);
    expect(clock.earliest(1002)).toBe(4_999_995);
    clock.observe(5_020_000, 21_000, 21_100);
    expect(clock.earliest(21_100)).toBe(5_019_995);
  });

  test('an answer that contradicts the known time counts at once: a clock was set, or this machine slept', () => {
    const { clock } = clocks();
    clock.observe(5_000_000, 1000, 1002);
    clock.observe(5_060_000, 1003, 1100);
    expect(clock.earliest(1100)).toBe(5_059_995);
    clock.observe(5_000_300, 1200, 1300);
    expect(clock.earliest(1300)).toBe(5_000_295);
  });
});
