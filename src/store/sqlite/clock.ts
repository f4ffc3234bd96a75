import { uptime } from 'node:os';

/** A smaller difference between uptime and the steady clock is no sleep, in ms: uptime is coarse. */
const LEAST_SLEEP_MS = 1000;

/** How often the clock reads the uptime at most, in ms: a step reads the clock many times. */
const LOOK_EVERY_MS = 5;

/**
 * A clock in whole ms since 1970. Nobody can set it back, unlike the wall clock: it adds the steady clock to the time
 * of the start. The steady clock stops while the machine sleeps, so this clock adds that time from the system's uptime.
 */
export function createSteadyClock(): () => number {
  const start = { steady: performance.now(), uptime: uptime() * 1000 };
  let slept = 0;
  let lookedAt = start.steady;
  return () => {
    const steady = performance.now();
    if (steady - lookedAt >= LOOK_EVERY_MS) {
      lookedAt = steady;
      const missed = uptime() * 1000 - start.uptime - (steady - start.steady);
      if (missed - slept > LEAST_SLEEP_MS) slept = missed;
    }
    return Math.floor(performance.timeOrigin + steady + slept);
  };
}
