/** Lets things that end at about the same time go on together. Each begins and ends once. */
export interface Landing {
  begin(): void;
  /**
   * Resolves for all that have ended, once the others have ended too, or `waitMs` after the first of them. With `atOnce`
   * nobody waits.
   */
  end(options?: { atOnce?: boolean }): Promise<void>;
}

/** Nothing has begun yet. */
export function createLanding(waitMs: number): Landing {
  let inAir = 0;
  let waiting: { promise: Promise<void>; resolve(): void; timer: NodeJS.Timeout } | undefined;

  function release(): void {
    clearTimeout(waiting?.timer);
    waiting?.resolve();
    waiting = undefined;
  }

  return {
    begin() {
      inAir += 1;
    },
    end({ atOnce = false } = {}) {
      inAir -= 1;
      waiting ??= { ...Promise.withResolvers<void>(), timer: setTimeout(release, waitMs) };
      const { promise } = waiting;
      if (inAir === 0 || atOnce) release();
      return promise;
    },
  };
}
