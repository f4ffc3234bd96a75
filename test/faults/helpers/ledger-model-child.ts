import { connect } from '../../../src/store/redis/connect.ts';
import { openSqlite } from '../../helpers/ledger-files.ts';
import type { OpenLedger } from '../../helpers/ledger-fixtures.ts';
import { openRedisFor } from '../../helpers/redis-ledger.ts';
import { checkModel } from '../../ledger/ledger.model.ts';
import { openInMemory } from '../../ledger/ledger-rigs.ts';
import { withBug } from './ledger-bugs.ts';
import { share } from './ledger-model-runs.ts';

/** A child's orders, as JSON in its only argument. */
export interface ModelPlan {
  runs: number;
  /** For Redis, its databases, which share the runs. Each run leaves its database empty. */
  engine: 'memory' | 'SQLite' | { redis: string[] };
  bug?: string;
}

if (import.meta.main) await run(JSON.parse(process.argv[2] as string) as ModelPlan);

/** A process for some runs, since several processes use several cores. Prints the result. */
async function run({ runs, engine, bug }: ModelPlan): Promise<void> {
  const engines = await enginesOf(engine);
  const results = await Promise.all(
    engines.map((open, at) =>
      checkModel(bug === undefined ? open : withBug(open, bug), {
        runs: share(runs, at, engines.length),
        anyFailure: bug !== undefined,
      }),
    ),
  );
  const failed = results.find(({ failure }) => failure);
  process.stdout.write(JSON.stringify(failed ?? { runs }), () => process.exit());
}

async function enginesOf(engine: ModelPlan['engine']): Promise<OpenLedger[]> {
  if (engine === 'memory') return [openInMemory];
  if (engine === 'SQLite') return [openSqlite];
  return Promise.all(engine.redis.map(openEmptied));
}

/**
 * Each run leaves its Redis empty, since ten thousand runs would fill it. All runs share a connection: making one would
 * take most of a run's time. A new process differs only in what it remembers.
 */
async function openEmptied(url: string): Promise<OpenLedger> {
  const connection = { ...(await connect(url)), close() {} };
  const open = openRedisFor(
    () => url,
    async () => connection,
  );
  return async (options) => {
    const rig = await open(options);
    return {
      ...rig,
      async close() {
        try {
          await rig.close();
        } finally {
          await connection.client.sendCommand(['FLUSHDB']);
        }
      },
    };
  };
}
