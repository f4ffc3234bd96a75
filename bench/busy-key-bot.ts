import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger } from '../src/ledger/ledger.ts';
import { StoreTroubleError } from '../src/store/store-error.ts';
import { openBenchStore } from './bench-store.ts';
import { SENT } from './intents.ts';

/** A bot's task. */
export interface BusyTask {
  url: string;
  dataDir: string;
  /** The key in base64. */
  encryptionKey: string;
  workers: number;
  /** How long the warm-up lasts, and how long the measurement does, in ms. */
  warmUpMs: number;
  forMs: number;
}

/** A bot's result: how many chunks it took and settled, and how long each of these steps took, in ms. */
export interface BusyReport {
  chunks: number;
  took: number[];
  /** Steps that the store gave up. The bot asks for them again. */
  givenUp: number;
}

const [task] = (await once(process, 'message')) as [BusyTask];
const store = await openBenchStore(task.url, task.dataDir, Buffer.from(task.encryptionKey, 'base64'));
process.send?.('ready');
await once(process, 'message');
// The parent process ends this one: an exit could overtake the report.
process.send?.(await work(store.ledger));

/** Takes and settles chunks with all workers at the same time. The service takes no time. */
async function work(ledger: Ledger): Promise<BusyReport> {
  const from = performance.now() + task.warmUpMs;
  const until = from + task.forMs;
  const report: BusyReport = { chunks: 0, took: [], givenUp: 0 };
  async function timed<T>(step: () => Promise<T>): Promise<T> {
    for (;;) {
      const begun = performance.now();
      try {
        return await step();
      } catch (error) {
        if (!(error instanceof StoreTroubleError)) throw error;
        if (begun >= from) report.givenUp += 1;
      } finally {
        if (begun >= from) report.took.push(performance.now() - begun);
      }
    }
  }
  async function worker(): Promise<void> {
    while (performance.now() < until) {
      const token = randomUUID();
      const request = {
        instance: 'i1',
        rateLimitKey: 'k1',
        account: 'a1',
        priority: 'background',
        token,
      } as const;
      const taken = await timed(() => ledger.take(request));
      if (taken.kind !== 'taken') {
        await sleep(1);
        continue;
      }
      const { send, index } = taken.chunk;
      const settled = await timed(() => ledger.settle({ send, index }, token, SENT));
      if (!settled.settled) throw new Error('the attempt was not settled');
      const now = performance.now();
      if (now >= from && now < until) report.chunks += 1;
    }
  }
  await Promise.all(Array.from({ length: task.workers }, worker));
  return report;
}
