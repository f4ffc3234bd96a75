import type { Change } from './types.ts';

/** Tells listeners of every change of the workspace. */
export interface Changes {
  emit(change: Change): void;
  /** Calls `listener` for each change, until the returned function is called. */
  subscribe(listener: (change: Change) => void): () => void;
  /**
   * Asks `probe` now and after every change, and resolves with its first answer that is neither undefined, null
   * nor false. Rejects after `ms` milliseconds, 15,000 by default.
   */
  waitFor<T>(probe: () => T | undefined | null | false, ms?: number): Promise<T>;
}

export function createChanges(): Changes {
  const listeners = new Set<(change: Change) => void>();

  function subscribe(listener: (change: Change) => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  function waitFor<T>(probe: () => T | undefined | null | false, ms = 15_000): Promise<T> {
    return new Promise((resolve, reject) => {
      let stop = () => {};
      const late = () => {
        stop();
        reject(new Error(`What was waited for did not happen within ${ms} ms: ${probe}`));
      };
      const timer = setTimeout(late, ms);
      const look = () => {
        try {
          const found = probe();
          if (found === undefined || found === null || found === false) return;
          resolve(found);
        } catch (error) {
          reject(error);
        }
        clearTimeout(timer);
        stop();
      };
      stop = subscribe(look);
      look();
    });
  }

  return {
    emit(change) {
      for (const listener of [...listeners]) listener(change);
    },
    subscribe,
    waitFor,
  };
}
