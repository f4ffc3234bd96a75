import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type RedisServer, startRedis, withoutRedis } from '../helpers/redis-server.ts';
import { testFault } from './helpers/faults.ts';
import { BUGS } from './helpers/ledger-bugs.ts';
import type { ModelPlan } from './helpers/ledger-model-child.ts';
import { modelHolds, modelRuns } from './helpers/ledger-model-runs.ts';

/** The model must find each bug within this many runs. Most need a few; one needs nearly a hundred. */
const BUG_RUNS = 2000;

describe('the ledger obeys its rules, in any order of events', () => {
  let server: RedisServer | undefined;

  beforeAll(async () => {
    // These runs restart no Redis, so it need not keep its data.
    if (!withoutRedis) server = await startRedis({ appendonly: 'no', databases: '256' });
  });

  afterAll(() => server?.close());

  const mustHold = 'none fails: after every command the engine stands as the model does';

  testFault(
    {
      what: 'random orders of ledger steps, against a model of the rules: SQLite',
      mustHold,
      runs: { short: 50, long: 10_000 },
      minutes: 60,
    },
    ({ runs, isLong }) =>
      modelHolds(runs, { processes: isLong ? availableParallelism() : 1, engine: 'SQLite' }),
  );

  testFault(
    {
      what: 'random orders of ledger steps, against a model of the rules: in memory',
      mustHold,
      runs: { short: 200, long: 2000 },
      minutes: 60,
    },
    ({ runs, isLong }) =>
      modelHolds(runs, { processes: isLong ? availableParallelism() : 1, engine: 'memory' }),
  );

  testFault(
    {
      what: 'random orders of ledger steps, against a model of the rules: Redis',
      mustHold,
      runs: { short: 20, long: 10_000 },
      minutes: 60,
      skip: withoutRedis,
    },
    ({ runs, isLong }) =>
      modelHolds(runs, { processes: isLong ? availableParallelism() : 1, engine: { url: urlOf(server) } }),
  );

  testFault(
    {
      what: 'the same with a bug seeded in the ledger, on each engine',
      mustHold: `each of the ${Object.keys(BUGS).length} bugs is caught`,
      runs: { short: Object.keys(BUGS).length, long: 3 * Object.keys(BUGS).length },
    },
    async ({ isLong, saw }) => {
      const engines: { name: string; engine: ModelPlan['engine'] }[] = [
        { name: 'in memory', engine: 'memory' },
      ];
      if (isLong) engines.push({ name: 'SQLite', engine: 'SQLite' });
      if (isLong && !withoutRedis) engines.push({ name: 'Redis', engine: { redis: [`${urlOf(server)}/0`] } });
      for (const { name, engine } of engines) {
        for (const bug of Object.keys(BUGS)) {
          const { runs, failure } = await modelRuns({ engine, bug, runs: BUG_RUNS });
          expect(failure?.name, `${bug} was not seen on ${name}`).toBe('AssertionError');
          saw({ [`runs until it was seen that ${bug}, ${name}`]: runs });
        }
      }
    },
  );
});

function urlOf(server: RedisServer | undefined): string {
  if (!server) throw new Error('there is no Redis');
  return server.url;
}
