import type { Call, Fault, Playground } from 'slack-playground';

/** Faults that strike some calls of an app, as they come. */
export interface Trouble {
  /** The calls that met a fault. */
  struck: Call[];
  /** Ends the trouble. */
  stop(): void;
}

/**
 * Strikes calls of these methods (`*`: all, also posts to response_urls). `decide` chooses a fault for each call, or
 * none.
 */
export function startTrouble(
  slack: Playground,
  methods: readonly string[],
  decide: () => Fault | undefined,
): Trouble {
  const struck: Call[] = [];
  let armed: Fault | undefined;

  function arm(): void {
    slack.clearFaults();
    armed = decide();
    if (!armed) return;
    for (const method of methods) slack.fault({ method, fault: armed });
  }

  const unsubscribe = slack.subscribe((change) => {
    if (change.kind !== 'call') return;
    if (armed && (methods.includes('*') || methods.includes(change.call.method))) struck.push(change.call);
    arm();
  });
  arm();
  return {
    struck,
    stop() {
      unsubscribe();
      slack.clearFaults();
    },
  };
}
