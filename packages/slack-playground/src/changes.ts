import type { Change } from './types.ts';

/** Tells listeners of every change of the workspace. */
export type Changes = ReturnType<typeof createChanges>;

export function createChanges() {
  const listeners = new Set<(change: Change) => void>();

  /** Calls `listener` for each change, until the returned function is called. */
  function subscribe(listener: (change: Change) => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /**
   * Calls `probe` now and after every change. Resolves with its first result that is not undefined, null or false.
   * Rejects after `ms` milliseconds.
   */
  function waitFor<T>(probe: () => T | undefined | null | false, ms = 30_000): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
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
    const timer = setTimeout(() => {
      stop();
      reject(new Error(`This did not happen within ${ms} ms: ${probe}`));
    }, ms);
    const stop = subscribe(look);
    look();
    return promise;
  }

  function emit(change: Change): void {
    for (const listener of [...listeners]) listener(change);
  }

  return { emit, subscribe, waitFor };
}
