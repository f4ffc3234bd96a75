import type { OpenStore } from '../src/data/data.ts';
import { openForCommand } from '../src/data/embedded.ts';
import { connect } from '../src/store/redis/connect.ts';
import { createRedisEngine } from '../src/store/redis/engine.ts';
import { EPOCH_KEY } from '../src/store/redis/epoch.ts';
import { LEDGER_PREFIX } from '../src/store/redis/prefix.ts';
import { createSqliteEngine } from '../src/store/sqlite/engine.ts';
import { startRedis } from '../test/helpers/redis-server.ts';
import { createWorld, type World } from '../test/helpers/world.ts';
import { link } from '../test/helpers/world-steps.ts';
import type { AppProcess } from './app-process.ts';
import { startBot } from './apps.ts';
import { openBenchStore } from './bench-store.ts';
import { fillStore } from './fill-store.ts';
import { LIMITS } from './intents.ts';

export type EngineName = 'SQLite' | 'Redis';

/** A bot with a channel that has sent many texts. */
export interface FilledWorld {
  world: World;
  texts: number;
  /** Ends the bot and keeps its store. */
  stopBot(): Promise<void>;
  /** Runs `work` with the store, beside the bot. */
  withStore<T>(work: (store: Pick<OpenStore, 'ledger'>) => Promise<T>): Promise<T>;
  end(): Promise<void>;
}

const STEP_MS = 60_000;

export async function startFilledWorld(engine: EngineName, texts: number): Promise<FilledWorld> {
  const redis = engine === 'Redis' ? await startRedis() : undefined;
  const world = await createWorld({
    env: { LOG_LEVEL: 'info', BALANCE_POLL_MS: '86400000', ...(redis && { REDIS_URL: redis.url }) },
  });
  await world.start();
  await link(world, { values: { 'Low-credit threshold': '0' } });
  await world.stop();
  await (redis ? fillRedis(redis.url, world, texts) : fillSqlite(world, texts));
  let bot: AppProcess | undefined = await startBot(world);

  async function stopBot(): Promise<void> {
    await bot?.end();
    bot = undefined;
  }

  return {
    world,
    texts,
    stopBot,
    async withStore(work) {
      const store = await (redis ? openShared(redis.url, world) : openFile(world));
      try {
        return await work(store);
      } finally {
        store.close();
      }
    },
    async end() {
      await stopBot();
      await world.close();
      await redis?.close();
    },
  };
}

async function openFile({ dataDir, environment }: World) {
  const opened = await openForCommand({
    dataDir,
    encryptionKeys: [encryptionKeyOf(environment)],
    limits: LIMITS,
    onDamaged(error) {
      throw error;
    },
  });
  return { ...opened, close: () => opened.db.close() };
}

function openShared(url: string, { dataDir, environment }: World): Promise<OpenStore> {
  return openBenchStore(url, dataDir, encryptionKeyOf(environment));
}

function encryptionKeyOf({ ENCRYPTION_KEY = '' }: World['environment']): Buffer {
  return Buffer.from(ENCRYPTION_KEY, 'base64');
}

async function fillSqlite(world: World, texts: number): Promise<void> {
  const { db, records, close } = await openFile(world);
  try {
    await fillStore(createSqliteEngine(db), world, { records, texts });
  } finally {
    close();
  }
}

async function fillRedis(url: string, world: World, texts: number): Promise<void> {
  const { records, close } = await openShared(url, world);
  const connection = await connect(url);
  try {
    const { client } = connection;
    const epoch = String(await client.sendCommand(['GET', EPOCH_KEY]));
    const engine = createRedisEngine({ client, prefix: LEDGER_PREFIX, epoch, stepMs: STEP_MS });
    await fillStore(engine, world, { records, texts });
  } finally {
    connection.close();
    close();
  }
}
