import type { Logger } from 'pino';
import type { Clock } from './clock.ts';
import { createShortMemory } from './short-cache.ts';

/** How long we remember what people took back, in ms: longer than Redis takes to fail over. */
const KEEP_MS = 120_000;

export type TakenBack = ReturnType<typeof createTakenBack>;

/**
 * Remembers what people lately undid, stopped or opted out. They have read that no such text goes out, and a store that
 * fails over may forget that.
 */
export function createTakenBack({ clock, log }: { clock: Pick<Clock, 'steady'>; log: Logger }) {
  const kept = createShortMemory<() => Promise<unknown>>(KEEP_MS, clock.steady);
  return {
    /** `again` must change nothing in a store that still knows. `about`: a later call with the same one replaces it. */
    remember: (about: string, again: () => Promise<unknown>) => kept.set(about, again),
    forget: kept.delete,
    /** The store may have forgotten it: does it all again. Never rejects. */
    async repeat(): Promise<void> {
      for (const again of kept.values()) {
        try {
          await again();
        } catch (error) {
          log.error({ err: error }, 'the bot could not repeat what somebody took back');
        }
      }
    },
  };
}
