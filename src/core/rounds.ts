import type { Logger } from 'pino';
import type { Clock } from './clock.ts';

/** A piece of work that runs again and again. */
export interface Round {
  name: string;
  everyMs: number;
  /** The signal aborts when the rounds stop. Work that only waits should then return at once. */
  work(signal: AbortSignal): Promise<void>;
}

/** Runs each round now, and again `everyMs` after each end. Logs its errors. `stop` waits for the rounds that run. */
export function startRounds(
  rounds: Round[],
  { clock, log }: { clock: Clock; log: Logger },
): { stop(): Promise<void> } {
  const stopping = new AbortController();

  async function run(round: Round): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await round.work(stopping.signal);
      } catch (error) {
        log.error({ err: error, round: round.name }, 'a round failed; it runs again later');
      }
      await clock.sleep(round.everyMs, stopping.signal);
    }
  }

  const running = rounds.map(run);
  return {
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}
