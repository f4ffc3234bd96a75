/** Remembers values for `keepMs`, and drops them after that. `now`: ms. A clock that was set back ends them, too. */
export function createShortMemory<T>(keepMs: number, now: () => number) {
  /** The oldest first. */
  const kept = new Map<string, { at: number; value: T }>();
  const isKept = ({ at }: { at: number }) => now() >= at && now() - at < keepMs;
  return {
    get(name: string): T | undefined {
      const found = kept.get(name);
      return found && isKept(found) ? found.value : undefined;
    },
    set(name: string, value: T): void {
      for (const [other, old] of kept) {
        if (isKept(old)) break;
        kept.delete(other);
      }
      kept.delete(name);
      kept.set(name, { at: now(), value });
    },
    delete: (name: string) => kept.delete(name),
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
