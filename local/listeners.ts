/** Listeners that `tell` calls after a change. */
export function createListeners() {
  const listeners = new Set<() => void>();
  return {
    /** Calls `listener` after each change, until the returned function is called. */
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tell(): void {
      for (const listener of [...listeners]) listener();
    },
  };
}
