/** Remembers values by name for a short time. */
export interface Recent<T> {
  /** Undefined if there is none, or it is older than `maxAgeMs`. */
  get(name: string, maxAgeMs?: number): T | undefined;
  /** `at`: when the value was true, if not now. */
  set(name: string, value: T, at?: number): void;
}

/** Forgets each value after `keepMs`. `now`: steady ms. */
export function createRecent<T>(keepMs: number, now: () => number): Recent<T> {
  /** The oldest first. */
  const kept = new Map<string, { at: number; value: T }>();
  return {
    get(name, maxAgeMs = keepMs) {
      const found = kept.get(name);
      return found && now() - found.at <= Math.min(maxAgeMs, keepMs) ? found.value : undefined;
    },
    set(name, value, at = now()) {
      kept.delete(name);
      kept.set(name, { at, value });
      for (const [other, { at: before }] of kept) {
        if (now() - before <= keepMs) break;
        kept.delete(other);
      }
    },
  };
}
