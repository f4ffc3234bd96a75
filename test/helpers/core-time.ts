import { type Clock, systemClock } from '../../src/core/clock.ts';
import { createSteadyClock } from '../../src/store/sqlite/clock.ts';

/** Time that runs by itself, and that a test can move forward. */
export interface TestTime {
  /** Core's clock. Its sleeps are `PACE` times shorter than core asks for. */
  clock: Clock;
  /** The ledger's clock, ms since 1970. */
  now(): number;
  /** Moves the ledger's clock and the wall clock forward, as a wait would. */
  advance(ms: number): void;
  /** Moves one of core's two clocks alone. */
  jump(which: 'steady' | 'wall', ms: number): void;
  /** Ends the sleeps of exactly `ms` that are under way. */
  wake(ms: number): void;
  /** Runs `work` at the beginning of every sleep of exactly `ms`. */
  duringSleepOf(ms: number, work: () => void | Promise<void>): void;
}

const PACE = 50;

export function createTime(): TestTime {
  const steady = createSteadyClock();
  const offset = { steady: 0, wall: 0, ledger: 0 };
  const during = new Map<number, () => void | Promise<void>>();
  const asleep = new Map<number, AbortController>();
  return {
    clock: {
      steady: () => systemClock.steady() + offset.steady,
      wall: () => systemClock.wall() + offset.wall,
      async sleep(ms, signal) {
        await during.get(ms)?.();
        const waker = asleep.get(ms) ?? new AbortController();
        asleep.set(ms, waker);
        await systemClock.sleep(ms / PACE, signal ? AbortSignal.any([signal, waker.signal]) : waker.signal);
      },
    },
    now: () => steady() + offset.ledger,
    advance(ms) {
      offset.wall += ms;
      offset.ledger += ms;
    },
    jump(which, ms) {
      offset[which] += ms;
    },
    wake(ms) {
      asleep.get(ms)?.abort();
      asleep.delete(ms);
    },
    duringSleepOf: (ms, work) => during.set(ms, work),
  };
}
