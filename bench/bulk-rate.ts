import type { Sandbox } from 'credit-sandbox';
import { createSmsClient } from '../src/sms/client.ts';
import { confirmJob, draftJob, limitsFor, startCore } from './core.ts';
import { inSeconds, type Section, shareOf } from './figures.ts';
import { interleaved } from './interleaved.ts';
import { inScratchFolder } from './scratch-folder.ts';
import { startService } from './service.ts';

const RECIPIENTS = 15_000;
const REQUESTS = RECIPIENTS / 100;
const WINDOW_MS = 10_000;
/** How many of 60 permits jobs may use. */
const BURST = 54;

/**
 * The least time that this many requests can take: full bursts, each a window after the answers of the burst before.
 */
export function leastMs(requests: number, windowMs: number, latencyMs: number): number {
  return (Math.ceil(requests / BURST) - 1) * (windowMs + latencyMs) + latencyMs;
}

/** A job of 15,000 recipients in real time. */
export async function benchBulkRate(): Promise<Section> {
  const took = await interleaved({ quick: () => sendAll(50), slow: () => sendAll(300) });
  const line = (latencyMs: number, runs: number[]) =>
    shareOf(`${REQUESTS} requests, answers after ${latencyMs} ms`, {
      took: runs,
      least: leastMs(REQUESTS, WINDOW_MS, latencyMs),
      shown: inSeconds,
      target: { atLeast: 0.94 },
    });
  return {
    title: 'A job of 15,000 recipients',
    means:
      'From the arrival of the first bulk request at the service to its last answer, 100 recipients a request, 60 ' +
      'requests in a window of 10 s. “Against” is the least time that the rate limit leaves a job: (⌈n/54⌉ − 1)·(W + L) ' +
      '+ L for n requests, window W and latency L. The figure is that time’s share of the time taken.',
    figures: [line(50, took.quick), line(300, took.slow)],
  };
}

function sendAll(latencyMs: number): Promise<number> {
  return inScratchFolder(async (folder) => {
    const limits = limitsFor(WINDOW_MS);
    const service = await startService(WINDOW_MS, latencyMs);
    const sms = createSmsClient({ baseUrl: service.url, timeoutMs: limits.timeoutMs });
    const { core, stop } = await startCore({ folder, sms, limits });
    try {
      const id = await draftJob(core, RECIPIENTS);
      const time = timeOf(service);
      await confirmJob(core, id);
      return await time;
    } finally {
      await stop();
      await service.close();
    }
  });
}

/** The time from the first bulk request to the last answer, in ms. */
function timeOf(service: Sandbox): Promise<number> {
  return new Promise((resolve, reject) => {
    let begun: number | undefined;
    let answers = 0;
    service.on('request', ({ endpoint }) => {
      if (endpoint === 'bulk') begun ??= performance.now();
    });
    service.on('answer', ({ endpoint, status, messagesSent }) => {
      if (endpoint !== 'bulk' || begun === undefined) return;
      if (status !== 201 || messagesSent !== 100)
        reject(new Error(`a bulk request was answered by ${status}`));
      answers += 1;
      if (answers === REQUESTS) resolve(performance.now() - begun);
    });
  });
}
