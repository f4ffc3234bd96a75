/** Lets work that ends at about the same time go on together, so that its steps share a commit. */
export function createFinishTogether(waitMs: number) {
  let running = 0;
  let waiting: { promise: Promise<void>; resolve(): void; timer: NodeJS.Timeout } | undefined;

  function release(): void {
    clearTimeout(waiting?.timer);
    waiting?.resolve();
    waiting = undefined;
  }

  return {
    begin() {
      running += 1;
    },
    /** Resolves once all work has ended, or `waitMs` after the first call that waits. `atOnce` ends all waits now. */
    end({ atOnce }: { atOnce: boolean }): Promise<void> {
      running -= 1;
      waiting ??= { ...Promise.withResolvers<void>(), timer: setTimeout(release, waitMs) };
      const { promise } = waiting;
      if (running === 0 || atOnce) release();
      return promise;
    },
  };
}
