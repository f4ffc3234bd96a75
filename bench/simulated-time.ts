import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../src/core/clock.ts';

/** Time that passes only in `during`, as fast as the work there gets done. */
export interface SimulatedTime {
  /** Its two clocks, in ms; the wall clock since 1970. */
  clock: Clock;
  /** Lets time pass, millisecond by millisecond, until the work is done. */
  during<T>(work: Promise<T>): Promise<T>;
}

/** Runs `work` with every timer of this process on simulated time. */
export async function inSimulatedTime<T>(work: (time: SimulatedTime) => Promise<T>): Promise<T> {
  const start = Date.UTC(2026, 0, 5, 9);
  let passed = 0;
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    return await work({
      clock: {
        steady: () => passed,
        wall: () => start + passed,
        sleep(ms, signal) {
          const { promise, resolve } = Promise.withResolvers<void>();
          setTimeout(resolve, ms);
          signal?.addEventListener('abort', () => resolve(), { once: true });
          return promise;
        },
      },
      async during(running) {
        let isDone = false;
        const done = () => {
          isDone = true;
        };
        running.then(done, done);
        while (!isDone) {
          // Work of a timer that has fired may still run.
          await setImmediate();
          passed += 1;
          mock.timers.tick(1);
        }
        return running;
      },
    });
  } finally {
    mock.timers.reset();
  }
}
