import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../../src/core/clock.ts';

/** Time that passes only when the test says so, with the three clocks of a machine. */
export interface VirtualTime {
  clock: Clock;
  /** The store's clock: the wall clock when the process began, plus the time since then. */
  now(): number;
  /** A process begins. Its store's clock starts at the wall clock, and nobody in it sleeps. */
  boot(): void;
  /** Somebody sets the wall clock, forward or back. */
  setWall(byMs: number): void;
  /** The machine sleeps: wall clock and store's clock go on, and the steady clock stops. */
  suspend(ms: number): void;
  /** Time passes while no process runs. */
  pass(ms: number): void;
  /** Time passes. Wakes the sleepers in order, each once the one before has done its work. */
  advance(ms: number, isIdle: (sleepers: number) => boolean | Promise<boolean>): Promise<void>;
}

/** If work does not come to rest within this time, it never will; ms of real time. */
const NEVER_IDLE_MS = 10_000;
/** The service's client compares steady-clock deadlines with real time. With this lead, no deadline ever ends. */
const AHEAD_MS = 10_000_000;

/** Virtual time from this time of the wall clock on, in ms since 1970. */
export function createVirtualTime(wallAtStart: number): VirtualTime {
  let steady = performance.now() + AHEAD_MS;
  let wallOffset = wallAtStart - steady;
  let storeOffset = wallOffset;
  let sleepers: { until: number; wake(): void }[] = [];

  async function settle(isIdle: (sleepers: number) => boolean | Promise<boolean>): Promise<void> {
    for (const until = performance.now() + NEVER_IDLE_MS; performance.now() < until; ) {
      await turn();
      await turn();
      if (await isIdle(sleepers.length)) return;
    }
    throw new Error(`core does not come to rest: ${sleepers.length} asleep`);
  }

  return {
    clock: {
      steady: () => steady,
      wall: () => steady + wallOffset,
      sleep(ms, signal) {
        return new Promise((resolve) => {
          if (signal?.aborted) return resolve();
          const sleeper = { until: steady + ms, wake: done };
          sleepers.push(sleeper);
          signal?.addEventListener('abort', done, { once: true });
          function done() {
            sleepers = sleepers.filter((one) => one !== sleeper);
            signal?.removeEventListener('abort', done);
            resolve();
          }
        });
      },
    },
    now: () => Math.floor(steady + storeOffset),
    boot() {
      storeOffset = wallOffset;
      sleepers = [];
    },
    setWall(byMs) {
      wallOffset += byMs;
    },
    suspend(ms) {
      wallOffset += ms;
      storeOffset += ms;
    },
    pass(ms) {
      steady += ms;
    },
    async advance(ms, isIdle) {
      const end = steady + ms;
      await settle(isIdle);
      for (;;) {
        const next = Math.min(end, ...sleepers.map(({ until }) => until));
        steady = Math.max(steady, next);
        const due = sleepers.filter(({ until }) => until <= steady);
        if (due.length === 0) return;
        for (const { wake } of due) wake();
        await settle(isIdle);
      }
    },
  };
}
