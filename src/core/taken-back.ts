import type { Logger } from 'pino';
import type { Clock } from './clock.ts';
import { createShortMemory } from './short-cache.ts';

/** How long we remember what people took back, in ms: longer than Redis takes to fail over. */
const KEEP_MS = 120_000;

/** The wait before the next try, if the store could not be used, in ms. */
const RETRY_MS = 1000;

export type TakenBack = ReturnType<typeof createTakenBack>;

/**
 * Remembers what people lately undid, stopped or opted out. They have read that no such text goes out, and a store that
 * fails over may forget that.
 */
export function createTakenBack(deps: {
  /** Whether the store has failed over since the last call. */
  isOtherServer(): Promise<boolean>;
  clock: Pick<Clock, 'steady' | 'sleep'>;
  log: Logger;
}) {
  const { isOtherServer, clock, log } = deps;
  const kept = createShortMemory<() => Promise<unknown>>(KEEP_MS, clock.steady);

  /** Asks until the store answers, for two minutes at most: a later reconnect to the same server must repeat nothing. */
  async function hasFailedOver(): Promise<boolean> {
    const until = clock.steady() + KEEP_MS;
    while (clock.steady() < until) {
      try {
        return await isOtherServer();
      } catch {
        await clock.sleep(RETRY_MS);
      }
    }
    return false;
  }

  return {
    /** `again` must change nothing in a store that still knows. `about`: a later call with the same one replaces it. */
    remember: (about: string, again: () => Promise<unknown>) => kept.set(about, again),
    forget: kept.delete,
    /**
     * Call it after a reconnect. Does it all again, but only after a failover: on the same server, people may have
     * changed their minds at another bot. Never rejects.
     */
    async repeat(): Promise<void> {
      const due = new Set((await hasFailedOver()) ? kept.values() : []);
      let isLogged = false;
      while (due.size > 0) {
        for (const again of due) {
          try {
            // Meanwhile, people may have let it go on.
            if (kept.values().includes(again)) await again();
            due.delete(again);
          } catch (error) {
            if (!isLogged) log.error({ err: error }, 'the bot could not repeat yet what people took back');
            isLogged = true;
          }
        }
        if (due.size > 0) await clock.sleep(RETRY_MS);
      }
    },
  };
}
