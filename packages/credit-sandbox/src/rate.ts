import type { Switches } from './switches.ts';

/** Counts each key's requests, for the limit on the request rate ("Limits"). Reads the switches at each request. */
export type RateWindows = ReturnType<typeof createRateWindows>;

export function createRateWindows(switches: () => Switches) {
  const arrivals = new Map<string, number[]>();

  /**
   * Counts a request that arrives at `now` (ms, from a clock that never goes back).
   * @returns null if the request is within the limit, else the ms until the next one can be, if none comes before
   */
  function arrive(key: string, now: number): number | null {
    const { rateLimit, rateWindowMs, rateWindow, rateOffsetMs, rateCountsRefused } = switches();
    const sinceEdge = (((now - rateOffsetMs) % rateWindowMs) + rateWindowMs) % rateWindowMs;
    const counted = (arrivals.get(key) ?? []).filter((at) =>
      rateWindow === 'fixed' ? now - at <= sinceEdge : now - at < rateWindowMs,
    );
    const refused = counted.length >= rateLimit;
    if (!refused || rateCountsRefused) counted.push(now);
    arrivals.set(key, counted);
    if (!refused) return null;
    if (rateWindow === 'fixed') return rateWindowMs - sinceEdge;
    // This request may count, too, so look for the blocking one only now.
    const blockingArrival = counted.at(-rateLimit) ?? now;
    return blockingArrival + rateWindowMs - now;
  }

  return { arrive, clear: () => arrivals.clear() };
}
