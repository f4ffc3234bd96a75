/** Brings together what ends at about the same time. */
export interface Landing {
  begin(): void;
  /**
   * Resolves once nothing is in the air any more, for all that wait at the same moment. None waits longer than `waitMs`
   * after the first of them, and none where one of them is to go `atOnce`.
   */
  end(options?: { atOnce?: boolean }): Promise<void>;
}

/** Of things that take their time, each of which ends once. */
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
