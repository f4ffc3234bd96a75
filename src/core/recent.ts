/** What was found lately, by name. */
export interface Recent<T> {
  /** Undefined where nothing was found, or longer ago than `maxAgeMs`. */
  get(name: string, maxAgeMs?: number): T | undefined;
  /** `at`: as of when, where that is before now. */
  set(name: string, value: T, at?: number): void;
}

/** Each is forgotten `keepMs` after it was found. `now`: steady ms. */
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
