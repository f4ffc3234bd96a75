/**
 * Keeps what was found for `keepMs`, from when it was asked for. All who ask meanwhile share one search; one that fails is
 * forgotten. `now`: steady ms.
 */
export function createShortCache<T>(keepMs: number, now: () => number) {
  /** The oldest first. */
  const kept = new Map<string, { at: number; found: Promise<T> }>();
  /** Finds a value by its name, or hands out the one found less than `maxAgeMs` ago. */
  return (name: string, find: () => Promise<T>, maxAgeMs = keepMs): Promise<T> => {
    const at = now();
    for (const [other, before] of kept) {
      if (at - before.at < keepMs) break;
      kept.delete(other);
    }
    const known = kept.get(name);
    if (known && at - known.at < maxAgeMs) return known.found;
    const asked = { at, found: find() };
    kept.delete(name);
    kept.set(name, asked);
    asked.found.catch(() => {
      if (kept.get(name) === asked) kept.delete(name);
    });
    return asked.found;
  };
}
