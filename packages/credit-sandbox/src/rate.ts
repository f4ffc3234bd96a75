import type { Switches } from './switches.ts';

/** Counts each key's requests, for the limit on the request rate ("Limits"). Obeys the switches of that moment. */
export type RateWindows = ReturnType<typeof createRateWindows>;

export function createRateWindows(switches: () => Switches) {
  const arrivals = new Map<string, number[]>();

  /**
   * Counts a request that arrives at `now` (ms, from a clock that never goes back).
   * @returns null if it is within the limit, else the ms until a request is within it again
   */
  function arrive(key: string, now: number): number | null {
    const { rateLimit, rateWindowMs, rateWindow, rateOffsetMs, rateCountsRefused } = switches();
    const sinceEdge = (((now - rateOffsetMs) % rateWindowMs) + rateWindowMs) % rateWindowMs;
    const counted = (arrivals.get(key) ?? []).filter((at) =>
      rateWindow === 'fixed' ? now - at <= sinceEdge : now - at < rateWindowMs,
    );
    const mustLeaveFirst = counted.at(-rateLimit);
    const refused = counted.length >= rateLimit && mustLeaveFirst !== undefined;
    if (!refused || rateCountsRefused) counted.push(now);
    arrivals.set(key, counted);
    if (!refused) return null;
    return rateWindow === 'fixed' ? rateWindowMs - sinceEdge : mustLeaveFirst + rateWindowMs - now;
  }

  return { arrive, clear: () => arrivals.clear() };
}
