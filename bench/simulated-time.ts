import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../src/core/clock.ts';

/** Time that passes only while somebody waits in `during`, as fast as the work in it gets done. */
export interface SimulatedTime {
  /** Both of its clocks; ms, the wall's since 1970. */
  clock: Clock;
  /** Lets time pass, a millisecond after the other, until the work is done. */
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
          // What was due may still be at work.
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
