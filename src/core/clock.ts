import { setTimeout } from 'node:timers/promises';

/** The clocks of core. Tests pass in their own. */
export interface Clock {
  /** Steady milliseconds, for deadlines within the process. Nobody can set this clock back. */
  steady(): number;
  /** Wall-clock milliseconds since 1970: jumps forward when the machine slept. */
  wall(): number;
  /** Resolves after `ms`; early, without error, when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's time. */
export const systemClock: Clock = {
  steady: () => performance.now(),
  wall: () => Date.now(),
  sleep: (ms, signal) => setTimeout(ms, undefined, signal && { signal }).catch(() => undefined),
};

/** A moment by both clocks: the steady clock stops while the machine sleeps, the wall clock may be set back. */
export interface Moment {
  steady: number;
  wall: number;
}

export function momentNow(clock: Clock): Moment {
  return { steady: clock.steady(), wall: clock.wall() };
}

/** Milliseconds since that moment, by the clock that counted more. */
export function msSince(clock: Clock, { steady, wall }: Moment): number {
  return Math.max(clock.steady() - steady, clock.wall() - wall);
}

/** `ms`, give or take up to half of it, so that waiting callers do not all try again at once. */
export function jittered(ms: number): number {
  return ms * (0.5 + Math.random());
}
