/** The one place that lets a request start. Of all attempts that share a gate, at most one ever starts. */
export type StartGate = ReturnType<typeof createStartGate>;

/**
 * Creates a gate that shuts at `startBy` (ms of `performance.now()`). The gate also looks at the wall clock, because the
 * monotonic clock stops while a machine sleeps. A wall clock that jumps forward only shuts the gate early.
 */
export function createStartGate(startBy: number) {
  const wallStartBy = Date.now() + (startBy - performance.now());
  let taken = false;
  return {
    startBy,
    /** True once, for the attempt that may write its request now. False for all others, and when it is too late. */
    claim(): boolean {
      if (taken || performance.now() >= startBy || Date.now() >= wallStartBy) return false;
      taken = true;
      return true;
    },
    /** Whether an attempt has started. */
    isTaken: () => taken,
  };
}
