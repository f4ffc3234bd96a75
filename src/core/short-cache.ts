/** Remembers values for `keepMs`, and drops them after that. `now`: ms. If that clock goes back a little, nothing is lost. */
export function createShortMemory<T>(keepMs: number, now: () => number) {
  /** The one that was set first comes first. */
  const kept = new Map<string, { at: number; value: T }>();
  const isKept = ({ at }: { at: number }) => now() - at < keepMs;
  return {
    get(name: string): T | undefined {
      const found = kept.get(name);
      return found && isKept(found) ? found.value : undefined;
    },
    /** `at`: the moment from which the value counts. */
    set(name: string, value: T, at = now()): void {
      for (const [other, old] of kept) {
        if (isKept(old)) break;
        kept.delete(other);
      }
      kept.delete(name);
      kept.set(name, { at, value });
    },
    delete: (name: string) => kept.delete(name),
    /** The values that are not too old. The one that was set first comes first. */
    values: (): T[] => [...kept.values()].filter(isKept).map(({ value }) => value),
  };
}

/**
 * Keeps what `find` found for `keepMs`, counted from its call. All who ask meanwhile share that call. Forgets a call that
 * failed. `now`: steady ms.
 */
export function createShortCache<T>(keepMs: number, now: () => number) {
  const kept = createShortMemory<{ at: number; found: Promise<T> }>(keepMs, now);
  /** The value of this name that was asked for less than `maxAgeMs` ago; otherwise finds it. */
  return (name: string, find: () => Promise<T>, maxAgeMs = keepMs): Promise<T> => {
    const at = now();
    const known = kept.get(name);
    if (known && at - known.at < maxAgeMs) return known.found;
    const asked = { at, found: find() };
    kept.set(name, asked);
    asked.found.catch(() => {
      if (kept.get(name) === asked) kept.delete(name);
    });
    return asked.found;
  };
}
