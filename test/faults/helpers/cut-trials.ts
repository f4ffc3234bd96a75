import type { Core } from '../../../src/core/core.ts';
import type { Settlement } from '../../../src/ledger/model/attempt-types.ts';
import { draftedJob, phoneAt } from '../../helpers/core-jobs.ts';
import { ANA, aNumber } from '../../helpers/core-people.ts';
import { drafted, eventually } from '../../helpers/core-sends.ts';
import { type Boot, createCoreWorld, type Run, run, runLinked } from '../../helpers/core-world.ts';
import { type Carried, type Cut, type CuttingServer, startCuttingServer } from './sms-cutting-server.ts';

export const ENDPOINTS = ['send', 'bulk', 'balance'] as const;
export type Endpoint = (typeof ENDPOINTS)[number];

/** A text, job or balance read whose first connection was cut, and its end. */
export interface Trial {
  endpoint: Endpoint;
  cut: Cut;
  /** The outcome of all its texts; for a balance, the kind of read. */
  outcome: string;
  /** Its connections, in their order. */
  carried: Carried[];
  /** Its settlements in the ledger, in their order. */
  settled: Pick<Settlement, 'to' | 'request'>[];
}

/** A whole core and a service that cuts connections; one trial at a time. */
export interface CutLane {
  server: CuttingServer;
  /** How many bytes a request to this endpoint has, and its answer. */
  lengths(endpoint: Endpoint): Promise<{ request: number; answer: number }>;
  attempt(endpoint: Endpoint, cut?: Cut): Promise<Trial>;
  /** Confirms a text and a job while the service accepts no connections. Opens the service once the bot has tried both. */
  whileShut(): Promise<Trial[]>;
  /** Starts again on the same store. */
  restart(): Promise<void>;
}

/** How many texts a chunk has. */
const CHUNK = 2;
const NO_CUT: Cut = { of: 'answer', offset: 0, kind: 'close' };

/** @param timeoutMs the deadline of a request */
export async function startCutLane({ timeoutMs }: { timeoutMs: number }): Promise<CutLane> {
  const world = await createCoreWorld({
    // With this lease, the bot seeks no evidence meanwhile, so each connection belongs to the trial.
    limits: { permits: 100_000, windowMs: 1000, timeoutMs, leaseMs: 3_600_000 },
  });
  const server = await startCuttingServer();
  const settled: Trial['settled'] = [];
  const options = {
    addresses: { baseUrl: server.url },
    balancePollMs: 1e9,
    bulk: { minRecipients: 2 },
    prepare({ tap }: Boot) {
      tap.intercept('settle', (settle) => (ref, token, settlement) => {
        settled.push({ to: settlement.to, request: settlement.request });
        return settle(ref, token, settlement);
      });
    },
  };
  const { instance, ...first } = await runLinked(world, options);
  let running: Run = first;
  let count = 0;

  /** Prepares a text, job or read. The result starts it, and resolves with its end. */
  async function prepare(endpoint: Endpoint): Promise<() => Promise<string>> {
    const { core } = running;
    count += 1;
    if (endpoint === 'balance') return async () => (await core.credit.read(instance, 'interactive')).kind;
    const text = `Text ${String(count).padStart(6, '0')}`;
    if (endpoint === 'bulk') {
      const { id } = await draftedJob(core, { count: CHUNK, template: text });
      return async () => {
        await core.jobs.confirm(id, ANA, { url: 'second' });
        return endOfJob(core, id);
      };
    }
    const { id } = await drafted(core, { number: aNumber(`+${phoneAt(0)}`), text });
    return async () => {
      await core.sends.confirm(id, ANA, { url: 'second' });
      return endOfText(core, id);
    };
  }

  async function attempt(endpoint: Endpoint, cut?: Cut): Promise<Trial> {
    const go = await prepare(endpoint);
    const from = { carried: server.carried.length, settled: settled.length };
    if (cut) server.cutNext(cut);
    const outcome = await go();
    return {
      endpoint,
      cut: cut ?? NO_CUT,
      outcome,
      carried: server.carried.slice(from.carried),
      settled: settled.slice(from.settled),
    };
  }

  return {
    server,
    attempt,
    async lengths(endpoint) {
      const { carried } = await attempt(endpoint);
      const [{ request, answered } = { request: '', answered: 0 }] = carried;
      return { request: request.length, answer: answered };
    },
    async whileShut() {
      const trials: Trial[] = [];
      for (const endpoint of ['send', 'bulk'] as const) {
        const go = await prepare(endpoint);
        const from = { carried: server.carried.length, settled: settled.length };
        await server.shut();
        const ending = go();
        await eventually(() => {
          if (settled.length === from.settled) throw new Error('nothing was tried yet');
        });
        await server.open();
        trials.push({
          endpoint,
          cut: NO_CUT,
          outcome: await ending,
          carried: server.carried.slice(from.carried),
          settled: settled.slice(from.settled),
        });
      }
      return trials;
    },
    async restart() {
      await running.stop();
      running = await run(world, options);
    },
  };
}

function endOfText(core: Core, id: string): Promise<string> {
  return eventually(async () => {
    const view = await core.sends.view(id);
    if (view?.state !== 'finished') throw new Error(`the text is ${view?.state}`);
    return view.outcome;
  });
}

function endOfJob(core: Core, id: string): Promise<string> {
  return eventually(async () => {
    const view = await core.jobs.view(id);
    if (view?.state !== 'finished') throw new Error(`the job is ${view?.state}`);
    const { sent, unknown, total } = view.counts;
    if (sent === total) return 'sent';
    return unknown === total ? 'unknown' : JSON.stringify(view.counts);
  });
}
