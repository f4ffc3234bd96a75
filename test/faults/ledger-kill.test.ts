import { availableParallelism } from 'node:os';
import { describe, onTestFinished } from 'vitest';
import { startRedis, withoutRedis } from '../helpers/redis-server.ts';
import { testFault } from './helpers/faults.ts';
import { POINTS } from './helpers/ledger-child.ts';
import { type KillEngine, killRedis, killSqlite } from './helpers/ledger-kill-engines.ts';
import { type KillOutcome, killAndCheck } from './helpers/ledger-kills.ts';

/** How many runs each core does at once: on Redis, a run mostly waits for leases. */
const RUNS_PER_CORE = { SQLite: 3, Redis: 6 };

const mustHold =
  'nobody texted twice; every recipient one outcome, the true one; unknown only what was in flight';

describe('kill -9', () => {
  testFault(
    {
      what: 'kill -9 at each ledger step: SQLite',
      mustHold,
      runs: { short: 2 * POINTS.length, long: 2000 },
      minutes: 60,
    },
    async ({ runs, saw }) => saw(await killMany(killSqlite(), runs, RUNS_PER_CORE.SQLite)),
  );

  testFault(
    {
      what: 'kill -9 at each ledger step: Redis',
      mustHold,
      runs: { short: POINTS.length, long: 2000 },
      minutes: 60,
      skip: withoutRedis,
    },
    async ({ runs, saw }) => {
      // A killed child loses nothing that Redis has, synced or not.
      const server = await startRedis({ appendonly: 'no' });
      onTestFinished(() => server.close());
      saw(await killMany(await killRedis(server.url), runs, RUNS_PER_CORE.Redis));
    },
  );
});

/** Kills equally often at each point, with a seed for each run, several runs at once. */
async function killMany(engine: KillEngine, runs: number, perCore: number) {
  onTestFinished(() => engine.close());
  const outcomes: KillOutcome[] = [];
  let next = 0;
  async function worker(): Promise<void> {
    while (next < runs) {
      const run = next;
      next += 1;
      const point = POINTS[run % POINTS.length] as (typeof POINTS)[number];
      outcomes.push(await killAndCheck(engine, point, run));
    }
  }
  const workers = Array.from({ length: perCore * availableParallelism() }, () =>
    worker().finally(() => {
      // After a failure, no other run begins.
      next = runs;
    }),
  );
  for (const ended of await Promise.allSettled(workers)) if (ended.status === 'rejected') throw ended.reason;
  const total = (figure: keyof KillOutcome) => outcomes.reduce((sum, each) => sum + each[figure], 0);
  return {
    kills: total('kills'),
    texts: total('texts'),
    'in flight at a kill': total('inFlight'),
    'ended unknown': total('unknown'),
    'posts made again': total('reposts'),
  };
}
