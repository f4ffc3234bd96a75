/** The one place that lets a request start: of all attempts that share a gate, at most one ever does. */
export type StartGate = {
  /** Moment of `performance.now()` in ms from which nothing starts. */
  readonly startBy: number;
  /** True once, for the attempt that may write its request now; false for all others and when it is too late. */
  claim(): boolean;
  /** Whether an attempt has started. */
  isTaken(): boolean;
};

/**
 * Creates a gate that shuts at `startBy` (ms of `performance.now()`). It looks at the wall clock as well, because the
 * monotonic clock stops while a machine sleeps. A wall clock that jumps forward only shuts the gate early.
 */
export function createStartGate(startBy: number): StartGate {
  const wallStartBy = Date.now() + (startBy - performance.now());
  let taken = false;
  return {
    startBy,
    claim() {
      if (taken || performance.now() >= startBy || Date.now() >= wallStartBy) return false;
      taken = true;
      return true;
    },
    isTaken: () => taken,
  };
}
