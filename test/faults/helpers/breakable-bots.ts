import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../../../src/store/redis/connect.ts';
import { createTwoWorkspaces } from '../../e2e/helpers/two-workspaces.ts';
import { between, type Dice } from '../../helpers/dice.ts';
import { type Dump, dumpRedis } from '../../helpers/dump-store.ts';
import { startRedisPair } from '../../helpers/redis-pair.ts';
import { startRedis } from '../../helpers/redis-server.ts';
import { type Replica, startReplicas } from '../../helpers/replicas.ts';
import { createWorld, type World, type WorldOptions } from '../../helpers/world.ts';
import { readLedger, untilWorkIsOver } from './read-ledger.ts';

/** Bots that sometimes break. */
export interface BreakableBots {
  /** The same bots and service, seen from each workspace. */
  worlds: [World, ...World[]];
  /** Breaks something, for a moment or for good, and says what. Undefined if everything that can break is broken. */
  breakSomething(dice: Dice): Promise<string | undefined>;
  /** An operator runs a command on the server; resolves with its result. */
  operate(words: string[]): Promise<string>;
  /** Stops all bots once everything is mended and all work is over; resolves with the ledger. */
  end(): Promise<Dump>;
  close(): Promise<void>;
}

/** How long a bot stays frozen, in ms: longer than a lease of these worlds. */
const STANDS_STILL_MS = 3000;

/** A bot on SQLite. The story kills it and starts it again. */
export async function startOnSqlite(options: WorldOptions): Promise<BreakableBots> {
  const world = await createWorld(options);
  await world.start();
  return breakOne([world], world.close);
}

/** A bot on SQLite, with two workspaces. */
export async function startForTwoWorkspaces(options: WorldOptions): Promise<BreakableBots> {
  const { first, second, tenants, install, close } = await createTwoWorkspaces(options);
  await first.start();
  await install(tenants.first);
  await install(tenants.second);
  return breakOne([first, second], close);
}

function breakOne(worlds: [World, ...World[]], close: () => Promise<void>): BreakableBots {
  const [world] = worlds;

  const read = async () => readLedger(world.dataDir);

  return {
    worlds,
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
    close,
  };
}

/** Three bots on one Redis. Some die and are replaced; some freeze for a while, and so does Redis. */
export async function startOnRedis(options: WorldOptions): Promise<BreakableBots> {
  const world = await createWorld(options);
  return startThree([world], await startStandingStill(), world.close);
}

/** Three bots on one Redis, with two workspaces. */
export async function startOnRedisForTwoWorkspaces(options: WorldOptions): Promise<BreakableBots> {
  const { first, second, tenants, install, close } = await createTwoWorkspaces(options);
  const bots = await startThree([first, second], await startStandingStill(), close);
  for (const tenant of Object.values(tenants)) await install(tenant, { url: bots.url });
  return bots;
}

async function startStandingStill(): Promise<FailingRedis> {
  const redis = await startRedis();
  return {
    env: { REDIS_URL: redis.url },
    async fail(ms) {
      redis.freeze();
      await sleep(ms);
      redis.thaw();
    },
    failure: 'Redis stands still',
    close: redis.close,
  };
}

/** Three bots on one Redis that fails over, to a replica that misses the last writes. */
export async function startOnRedisPair(options: WorldOptions): Promise<BreakableBots> {
  return startOnPair(options, '1');
}

/** The same without `REDIS_REPLICAS`: the replica may forget. With Redis, bots die that knew what it forgot. */
export async function startOnForgetfulPair(options: WorldOptions): Promise<BreakableBots> {
  return startOnPair(options, '0');
}

async function startOnPair(options: WorldOptions, replicas: '0' | '1'): Promise<BreakableBots> {
  const world = await createWorld(options);
  const pair = await startRedisPair();
  const redis: FailingRedis = {
    env: { REDIS_URL: pair.url, REDIS_REPLICAS: replicas },
    takesBotsAlong: replicas === '0',
    async fail(ms, killBots) {
      await pair.cutOff();
      await sleep(ms);
      await killBots();
      await pair.failOver();
    },
    failure: 'Redis fails over',
    close: pair.close,
  };
  return startThree([world], redis, world.close);
}

/** A Redis that fails for a while, and the words for that. */
interface FailingRedis {
  env: { REDIS_URL: string; REDIS_REPLICAS?: string };
  /** Whether all bots but one die with it. */
  takesBotsAlong?: boolean;
  /** Fails for so long. `killBots`: call it at the end. */
  fail(ms: number, killBots: () => Promise<unknown>): Promise<void>;
  failure: string;
  close(): Promise<void>;
}

async function startThree(
  worlds: [World, ...World[]],
  redis: FailingRedis,
  closeWorlds: () => Promise<void>,
): Promise<BreakableBots & { url: string }> {
  const { env, failure } = redis;
  const [world] = worlds;
  const bots = await startReplicas(world, 3, { ...env });
  for (const { slack } of worlds) slack.setEventsUrl(`${bots.url}/slack/events`);
  const well = new Set(bots.all);
  const repairs: Promise<void>[] = [];
  let isRedisWell = true;

  async function read(): Promise<Dump> {
    const { client, close } = await connect(env.REDIS_URL);
    try {
      return await dumpRedis(client, 'switchboard:ledger:');
    } finally {
      close();
    }
  }

  async function failRedis(ms: number): Promise<void> {
    isRedisWell = false;
    let killed: Replica[] = [];
    await redis.fail(ms, () => {
      [, ...killed] = redis.takesBotsAlong ? well : [];
      for (const bot of killed) well.delete(bot);
      return Promise.all(killed.map((bot) => bot.kill()));
    });
    for (const added of await Promise.all(killed.map(() => bots.add()))) well.add(added);
    isRedisWell = true;
  }

  async function restFor(bot: Replica, ms: number): Promise<void> {
    well.delete(bot);
    bot.freeze();
    await sleep(ms);
    bot.thaw();
    well.add(bot);
  }

  async function replace(bot: Replica): Promise<void> {
    well.delete(bot);
    await bot.kill();
    well.add(await bots.add());
  }

  return {
    url: bots.url,
    worlds,
    async breakSomething(dice) {
      const [bot] = well;
      const ms = between(dice, 100, STANDS_STILL_MS);
      const odds = dice();
      if (isRedisWell && (odds < (redis.takesBotsAlong ? 0.8 : 0.2) || !bot || well.size === 1)) {
        repairs.push(failRedis(ms));
        return failure;
      }
      if (!bot || well.size === 1) return undefined;
      repairs.push(odds < 0.6 ? restFor(bot, ms) : replace(bot));
      return odds < 0.6 ? 'a bot stands still' : 'a bot is killed, and another one starts';
    },
    operate: (words) => operate(world, words, { ...env }),
    async end() {
      await Promise.all(repairs);
      await untilWorkIsOver(read);
      await Promise.all(bots.all.map((bot) => bot.stop()));
      return read();
    },
    async close() {
      await bots.close();
      await closeWorlds();
      await redis.close();
    },
  };
}

async function operate(world: World, words: string[], env?: Record<string, string>): Promise<string> {
  const { code, stderr } = await world.runAdmin(words, '', env);
  return `npm run admin -- ${words.join(' ')}: ${code} ${stderr}`;
}
