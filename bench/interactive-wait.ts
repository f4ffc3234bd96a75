import { setTimeout as sleep } from 'node:timers/promises';
import type { Sandbox } from 'credit-sandbox';
import type { Core } from '../src/core/core.ts';
import { createSmsClient } from '../src/sms/client.ts';
import { ANA, aRequest } from '../test/helpers/core-people.ts';
import { confirmJob, draftJob, limitsFor, startCore } from './core.ts';
import { differenceOf, inMs, percentile, type Section } from './figures.ts';
import { interleaved } from './interleaved.ts';
import { inScratchFolder } from './scratch-folder.ts';
import { startService } from './service.ts';

/** Makes a minute a second: a job makes 54 requests of 100 recipients in it, far more work than in a real minute. */
const WINDOW_MS = 1000;
const LATENCY_MS = 50;
const SENDS = 40;
/** The average pause between texts, give or take a fifth: people never need more than their six permits a window. */
const EVERY_MS = 250;
/** More recipients than the job can send to meanwhile. */
const RECIPIENTS = 70_000;

/** How long a person's text waits for its request while a job uses all permits that it may. */
export async function benchInteractiveWait(): Promise<Section> {
  const waits = await interleaved({
    alone: () => sendSingles({ besideJob: false }),
    besideJob: () => sendSingles({ besideJob: true }),
  });
  const against = { shown: inMs, target: { atMost: 300 } };
  const p99 = (runs: number[][]) => runs.map((run) => percentile(run, 99));
  return {
    title: 'A single text during a job',
    means:
      `From pressing Send to the arrival of the request at the service, ${SENDS} texts a run at irregular moments, beside ` +
      `a job at full rate and without one, on one event loop with the service. 60 requests in a window of 1 s, answers to ` +
      `the job after ${LATENCY_MS} ms: sixty times the load of a real job.`,
    figures: [
      differenceOf('Wait of a single text, p99', {
        ours: p99(waits.besideJob),
        theirs: p99(waits.alone),
        ...against,
      }),
    ],
  };
}

function sendSingles({ besideJob }: { besideJob: boolean }): Promise<number[]> {
  return inScratchFolder(async (folder) => {
    const limits = limitsFor(WINDOW_MS);
    const service = await startService(WINDOW_MS, LATENCY_MS);
    const sms = createSmsClient({ baseUrl: service.url, timeoutMs: limits.timeoutMs });
    const { core, stop } = await startCore({ folder, sms, limits });
    try {
      if (!besideJob) return await waitsOf(core, service);
      const job = await draftJob(core, RECIPIENTS);
      await confirmJob(core, job);
      const waits = await waitsOf(core, service);
      const view = await core.jobs.view(job);
      if (view?.state !== 'running')
        throw new Error(`the job was ${view?.state} before the texts had gone out`);
      await core.jobs.stop(job, ANA);
      return waits;
    } finally {
      await stop();
      await service.close();
    }
  });
}

/** Sends single texts one after the other. Resolves to the wait of each, in ms. */
async function waitsOf(core: Core, service: Sandbox): Promise<number[]> {
  let arrived = (_at: number): void => {};
  service.on('request', ({ endpoint }) => {
    if (endpoint === 'send') arrived(performance.now());
  });
  const waits: number[] = [];
  while (waits.length < SENDS) {
    await sleep(EVERY_MS * (0.8 + 0.4 * Math.random()));
    const draft = await core.sends.draft(aRequest());
    if (draft.kind !== 'draft') throw new Error(`no draft was made: ${draft.kind}`);
    const arrival = new Promise<number>((resolve) => {
      arrived = resolve;
    });
    const begun = performance.now();
    const { kind } = await core.sends.confirm(draft.view.id, ANA, {});
    if (kind !== 'running') throw new Error(`the text was not sent: ${kind}`);
    waits.push((await arrival) - begun);
  }
  return waits;
}
