import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a bot has to be started with, so that its garbage can be collected from outside. */
export const COLLECTABLE = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

/** The resident memory of a bot, in MB. */
export interface BotMemory {
  now(): number;
  /**
   * The least of it while garbage is collected some times. An engine that has room collects late, and the allocator gives
   * back later still: only what stays then is kept.
   */
  kept(): Promise<number>;
}

const COLLECTIONS = 5;
const PAUSE_MS = 300;

/** @param output what a bot started with `COLLECTABLE` has written so far */
export async function watchMemory(output: string): Promise<BotMemory> {
  const pid = Number(/"pid":(\d+)/.exec(output)?.[1]);
  const address = /Debugger listening on (ws:\S+)/.exec(output)?.[1] ?? '';

  function now(): number {
    const kb = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kb) / 1024;
  }

  async function collect(): Promise<void> {
    const inspector = new WebSocket(address);
    await once(inspector, 'open');
    const done = once(inspector, 'message');
    inspector.send(JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' }));
    await done;
    inspector.close();
  }

  return {
    now,
    async kept() {
      let least = Number.POSITIVE_INFINITY;
      for (let times = 0; times < COLLECTIONS; times += 1) {
        await collect();
        await sleep(PAUSE_MS);
        least = Math.min(least, now());
      }
      return least;
    },
  };
}
