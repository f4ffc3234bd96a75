/** How long a measurement of Redis's clock is preferred to a less exact one, in ms: clocks drift. */
const TRUSTED_MS = 10_000;

/** Room for rounding, in ms: Redis and our timers know whole ms only. */
const ROUNDING_MS = 5;

/** How much two clocks drift apart at most while both are being adjusted: each by 500 millionths. */
const DRIFT = 0.001;

/**
 * What this process knows of Redis's clock, from the answers that carry it. All times are ms; local ones are steady.
 */
export function createRemoteClock(steady: () => number = () => performance.now()) {
  // Redis's clock is ahead of the local one by `offset` at least, and by `doubt` more at most.
  let best = { offset: Number.NaN, doubt: 0, at: 0 };
  return {
    /** Whether anything was heard yet: before that there is no time. */
    isKnown: () => !Number.isNaN(best.offset),
    /** We asked at `asked`, and at `received` an answer came that says Redis TIME `remote`. */
    observe(remote: number, asked: number, received: number): void {
      const doubt = received - asked;
      const offset = remote - received;
      // Somebody set one of the clocks, or this machine slept: the known offset is wrong.
      const contradicts =
        offset > best.offset + best.doubt + ROUNDING_MS || offset + doubt < best.offset - ROUNDING_MS;
      const isBetter = doubt <= best.doubt || received - best.at >= TRUSTED_MS;
      if (Number.isNaN(best.offset) || contradicts || isBetter) best = { offset, doubt, at: received };
    },
    /** Redis TIME about now. */
    now: () => steady() + best.offset + best.doubt / 2,
    /** Redis TIME at this local time, or a little before it: never later than it really is. */
    earliest: (local: number) => local + best.offset - ROUNDING_MS - DRIFT * Math.max(0, local - best.at),
  };
}
