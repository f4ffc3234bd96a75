import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../../../src/store/redis/connect.ts';
import type { Database } from '../../../src/store/sqlite/open.ts';
import { between, type Dice } from '../../helpers/dice.ts';
import { type Dump, dumpRedis, dumpSqlite } from '../../helpers/dump-store.ts';
import { startRedis } from '../../helpers/redis-server.ts';
import { startReplicas } from '../../helpers/replicas.ts';
import { createWorld, type World, type WorldOptions } from '../../helpers/world.ts';
import { isAtWork } from './expect-true-outcomes.ts';

/** A world whose bots break now and then. */
export interface BreakableBots {
  world: World;
  /** Something breaks, for a moment or for good; says what. */
  breakSomething(dice: Dice): Promise<string>;
  /** An operator runs a command on the server; what came of it. */
  operate(words: string[]): Promise<string>;
  /** Ends all bots in order, once all that broke is whole again and all work is over; resolves with the ledger. */
  end(): Promise<Dump>;
  close(): Promise<void>;
}

/** All work is over by then, in ms: leases, and waits after a refusal. */
const OVER_WITHIN_MS = 60_000;
/** Longer than a bot needs to carry out a click, in ms. */
const SOON_MS = 5000;
/** Longer than a lease in the tests' worlds, in ms. */
const STANDS_STILL_MS = 3000;

/** One bot, on SQLite: it is killed, and starts again. */
export async function startOnSqlite(options: WorldOptions): Promise<BreakableBots> {
  const world = await createWorld(options);
  await world.start();

  async function read(): Promise<Dump> {
    const raw = new DatabaseSync(join(world.dataDir, 'switchboard.db'), { readOnly: true });
    try {
      return dumpSqlite({ raw } as Database);
    } finally {
      raw.close();
    }
  }

  return {
    world,
    async breakSomething() {
      await world.kill();
      await world.start();
      return 'the bot is killed, and starts again';
    },
    operate: (words) => operate(world, words),
    async end() {
      await untilWorkIsOver(read);
      await world.stop();
      return read();
    },
    close: world.close,
  };
}

/** Three bots on one Redis: some are killed and replaced, some stand still for a while, as does Redis. */
export async function startOnRedis(options: WorldOptions): Promise<BreakableBots> {
  const redis = await startRedis();
  const world = await createWorld(options);
  const bots = await startReplicas(world, 3, { REDIS_URL: redis.url });
  const well = new Set(bots.all);
  const repairs: Promise<void>[] = [];

  async function read(): Promise<Dump> {
    const { client, close } = await connect(redis.url);
    try {
      return await dumpRedis(client, 'switchboard:ledger:');
    } finally {
      close();
    }
  }

  const forAWhile = (ms: number, then: () => void) => void repairs.push(sleep(ms).then(then));

  return {
    world,
    async breakSomething(dice) {
      const [bot] = well;
      const ms = between(dice, 100, STANDS_STILL_MS);
      const odds = dice();
      if (odds < 0.2 || !bot || well.size === 1) {
        redis.freeze();
        forAWhile(ms, redis.thaw);
        return 'Redis stands still';
      }
      well.delete(bot);
      if (odds < 0.6) {
        bot.freeze();
        forAWhile(ms, () => {
          bot.thaw();
          well.add(bot);
        });
        return 'a bot stands still';
      }
      await bot.kill();
      repairs.push(bots.add().then((another) => void well.add(another)));
      return 'a bot is killed, and another one starts';
    },
    operate: (words) => operate(world, words, { REDIS_URL: redis.url }),
    async end() {
      await Promise.all(repairs);
      await untilWorkIsOver(read);
      await Promise.all(bots.all.map((bot) => bot.stop()));
      return read();
    },
    async close() {
      await bots.close();
      await world.close();
      await redis.close();
    },
  };
}

async function operate(world: World, words: string[], env?: Record<string, string>): Promise<string> {
  const { code, stderr } = await world.runAdmin(words, '', env);
  return `npm run admin -- ${words.join(' ')}: ${code} ${stderr}`;
}

async function untilWorkIsOver(read: () => Promise<Dump>): Promise<void> {
  // A click that was just acknowledged may not be in the ledger yet.
  await sleep(SOON_MS);
  for (const until = performance.now() + OVER_WITHIN_MS; performance.now() < until; await sleep(500)) {
    if (!isAtWork(await read())) return;
  }
}
