/**
 * Keeps what `find` found for `keepMs`, counted from its call. All who ask meanwhile share that call. Forgets a call that
 * failed. `now`: steady ms.
 */
export function createShortCache<T>(keepMs: number, now: () => number) {
  /** The oldest first. */
  const kept = new Map<string, { at: number; found: Promise<T> }>();
  /** The value of this name that was asked for less than `maxAgeMs` ago; otherwise finds it. */
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
