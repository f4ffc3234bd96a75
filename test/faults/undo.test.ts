import { availableParallelism } from 'node:os';
import { describe, onTestFinished } from 'vitest';
import { startRedis, withoutRedis } from '../helpers/redis-server.ts';
import { testFault } from './helpers/faults.ts';
import { type KillEngine, killRedis, killSqlite } from './helpers/ledger-kill-engines.ts';
import { TEXTS, type UndoOutcome, undoAndCheck } from './helpers/undo-kills.ts';

const runs = { short: 60, long: 1000 };
const mustHold =
  'undone and never requested, or requested once and never undone; nothing early; each is told what is true';

describe('undo and kill -9', () => {
  testFault(
    { what: 'a text is undone just as it goes out, under kill -9: SQLite', mustHold, runs },
    async ({ runs: texts, saw }) => saw(await raceMany(killSqlite(), 1, texts)),
  );

  testFault(
    {
      what: 'a text is undone just as it goes out, under kill -9: Redis, two bots',
      mustHold,
      runs,
      skip: withoutRedis,
    },
    async ({ runs: texts, saw }) => {
      // A killed child loses nothing that Redis has, synced or not.
      const server = await startRedis({ appendonly: 'no' });
      onTestFinished(() => server.close());
      saw(await raceMany(await killRedis(server.url), 2, texts));
    },
  );
});

/** Races with a seed for each run, several runs at once. */
async function raceMany(engine: KillEngine, bots: number, texts: number) {
  onTestFinished(() => engine.close());
  const outcomes: UndoOutcome[] = [];
  let left = texts / TEXTS;
  async function worker(): Promise<void> {
    while (left > 0) {
      left -= 1;
      outcomes.push(await undoAndCheck(engine, bots, left));
    }
  }
  const workers = Array.from({ length: availableParallelism() }, () =>
    worker().finally(() => {
      // After a failure, no other run begins.
      left = 0;
    }),
  );
  for (const ended of await Promise.allSettled(workers)) if (ended.status === 'rejected') throw ended.reason;
  const total = (figure: keyof UndoOutcome) => outcomes.reduce((sum, each) => sum + each[figure], 0);
  return {
    kills: total('kills'),
    undone: total('undone'),
    sent: total('sent'),
    'ended unknown': total('unknown'),
  };
}
