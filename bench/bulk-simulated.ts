import type { SmsClient } from '../src/sms/client.ts';
import { leastMs } from './bulk-rate.ts';
import { confirmJob, draftJob, limitsFor, startCore } from './core.ts';
import { type Figure, inSeconds, type Section, shareOf } from './figures.ts';
import { inScratchFolder } from './scratch-folder.ts';
import { inSimulatedTime, type SimulatedTime } from './simulated-time.ts';

const REQUESTS = 2000;
const WINDOW_MS = 10_000;

/** A long job in simulated time: what the bot computes takes none of it, so that only its scheduling shows. */
export async function benchBulkSimulated(): Promise<Section> {
  const figures: Figure[] = [];
  for (const latencyMs of [50, 300]) {
    const took = await inScratchFolder((folder) =>
      inSimulatedTime((time) => sendAll(folder, latencyMs, time)),
    );
    figures.push(
      shareOf(`2,000 requests, answers after ${latencyMs} ms`, {
        took: [took],
        least: leastMs(REQUESTS, WINDOW_MS, latencyMs),
        shown: inSeconds,
        target: { atLeast: 0.97 },
      }),
    );
  }
  return {
    title: 'A job of 2,000 requests, simulated',
    means:
      'The same with core and database under a clock that jumps, and a service that answers after exactly that time: ' +
      'six minutes in seconds. Once each, since only the scheduling shows: computing takes no simulated time.',
    figures,
  };
}

/** From the first request to the last answer, in simulated ms. */
async function sendAll(folder: string, latencyMs: number, { clock, during }: SimulatedTime): Promise<number> {
  const { promise: allAnswered, resolve } = Promise.withResolvers<void>();
  let begun: number | undefined;
  let answers = 0;
  const sms = serviceThat(async () => {
    begun ??= clock.steady();
    await clock.sleep(latencyMs);
    answers += 1;
    if (answers === REQUESTS) resolve();
  });
  const { core, stop } = await during(
    // One recipient a request: how many there are takes no simulated time.
    startCore({ folder, sms, limits: limitsFor(WINDOW_MS), chunkSize: 1, clock, now: clock.wall }),
  );
  const id = await during(draftJob(core, REQUESTS));
  await during(confirmJob(core, id));
  await during(allAnswered);
  const took = clock.steady() - (begun ?? 0);
  await during(stop());
  return took;
}

/** A client of a service that takes every bulk request, once `answered`. */
function serviceThat(answered: () => Promise<void>): SmsClient {
  const credits = 1_000_000_000;
  return {
    balance: async () => ({ outcome: 'accepted', data: { credits, user_id: 1, user_name: 'Acme Ltd' } }),
    async sendBulk(_key, messages) {
      await answered();
      const sent = messages.map(({ phone }) => ({ message_id: 7, phone, status: 'sent' }));
      const figures = {
        messages_sent: sent.length,
        credits_used: sent.length,
        credits_remaining: credits,
      };
      return { outcome: 'accepted', data: { ...figures, messages: sent } };
    },
    async send() {
      throw new Error('a job sends no single texts');
    },
    close: async () => {},
  };
}
