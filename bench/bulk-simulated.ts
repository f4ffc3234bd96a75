import type { SmsClient } from '../src/sms/client.ts';
import { leastMs } from './bulk-rate.ts';
import { confirmJob, draftJob, limitsFor, startCore } from './core.ts';
import { type Figure, inSeconds, type Section, shareOf } from './figures.ts';
import { inScratchFolder } from './scratch-folder.ts';
import { inSimulatedTime, type SimulatedTime } from './simulated-time.ts';

const REQUESTS = 2000;
const WINDOW_MS = 10_000;

/** A long job in simulated time: the bot's computing takes none of it, so only its scheduling shows. */
export async function benchBulkSimulated({ requests = REQUESTS } = {}): Promise<Section> {
  const figures: Figure[] = [];
  for (const latencyMs of [50, 300]) {
    const took = await inScratchFolder((folder) =>
      inSimulatedTime((time) => sendAll(folder, { requests, latencyMs }, time)),
    );
    figures.push(
      shareOf(`${requests.toLocaleString('en')} requests, answers after ${latencyMs} ms`, {
        took: [took],
        least: leastMs(requests, WINDOW_MS, latencyMs),
        shown: inSeconds,
        target: { atLeast: 0.97 },
      }),
    );
  }
  return {
    title: `A job of ${requests.toLocaleString('en')} requests, simulated`,
    means:
      'The same with core and database under a clock that jumps, and a service that answers after exactly that time: ' +
      'six minutes in seconds. Once each, since only the scheduling shows: computing takes no simulated time.',
    figures,
  };
}

/** The time from the first request to the last answer, in simulated ms. */
async function sendAll(
  folder: string,
  { requests, latencyMs }: { requests: number; latencyMs: number },
  { clock, during }: SimulatedTime,
): Promise<number> {
  const { promise: allAnswered, resolve } = Promise.withResolvers<void>();
  let begun: number | undefined;
  let answers = 0;
  const sms = serviceThat(async () => {
    begun ??= clock.steady();
    await clock.sleep(latencyMs);
    answers += 1;
    if (answers === requests) resolve();
  });
  const { core, stop } = await during(
    // One recipient a request is enough: recipients take no simulated time.
    startCore({ folder, sms, limits: limitsFor(WINDOW_MS), chunkSize: 1, clock, now: clock.wall }),
  );
  const id = await during(draftJob(core, requests));
  await during(confirmJob(core, id));
  await during(allAnswered);
  const took = clock.steady() - (begun ?? 0);
  await during(stop());
  return took;
}

/** A client of a service that accepts every request once `answered` resolves. A chunk of one message is a single text. */
function serviceThat(answered: () => Promise<void>): SmsClient {
  const credits = 1_000_000_000;
  return {
    balance: async () => ({ outcome: 'accepted', data: { credits, user_id: 1, user_name: 'Acme Ltd' } }),
    async send() {
      await answered();
      const receipt = { message_id: 7, status: 'sent', credits_used: 1, credits_remaining: credits };
      return { outcome: 'accepted', data: receipt };
    },
    async sendBulk() {
      throw new Error('each chunk holds one message');
    },
    close: async () => {},
  };
}
