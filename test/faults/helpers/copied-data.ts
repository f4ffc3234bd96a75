import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { connect } from '../../../src/store/redis/connect.ts';
import { type Dump, dumpRedis } from '../../helpers/dump-store.ts';
import { startRedis } from '../../helpers/redis-server.ts';
import { startReplicas } from '../../helpers/replicas.ts';
import { createWorld, type World } from '../../helpers/world.ts';
import { link } from '../../helpers/world-steps.ts';
import { readLedger } from './read-ledger.ts';

/** A bot on the database, or two on Redis. An operator copies their data and puts the copy back. */
export interface CopiedSite {
  world: World;
  /** The variables that `npm run admin` needs to find the data. */
  env: Record<string, string>;
  start(): Promise<void>;
  /** Ends all bots by SIGTERM or kill -9. */
  end(how: 'stopped' | 'killed'): Promise<void>;
  /** Copies the data of running bots. */
  copy(): Promise<string>;
  /** Puts a copy back, once. No bot may run. `isAlone`: without the file in the bot's folder whose mark tells of an old copy. */
  putBack(copy: string, how?: { isAlone?: boolean }): Promise<void>;
  /** The ledger as it is now. */
  ledger(): Promise<Dump>;
  close(): Promise<void>;
}

const LIMITS = {
  SMS_RATE_LIMIT: '10000',
  SMS_RATE_WINDOW_MS: '1000',
  SMS_TIMEOUT_MS: '3000',
  SMS_ATTEMPT_LEASE_MS: '4000',
  BULK_CHUNK_SIZE: '2',
  LOG_LEVEL: 'info',
};

/** A world with #sales linked, and a service that is slow with lists. */
async function slowWorld(): Promise<World> {
  const world = await createWorld({
    sandbox: { switches: { rateLimit: 10_000, rateWindowMs: 1000 } },
    env: LIMITS,
  });
  world.service.setCredits(1, 1_000_000);
  world.service.addFault({ kind: 'delay', endpoint: 'bulk', ms: 200, when: 'before', times: 'always' });
  return world;
}

export async function startOnDatabase(): Promise<CopiedSite> {
  const world = await slowWorld();
  const copies = mkdtempSync(join(tmpdir(), 'switchboard-copies-'));
  const file = join(world.dataDir, 'switchboard.db');
  const mark = join(world.dataDir, 'switchboard.mark');
  await world.start();
  await link(world, { values: { 'Low-credit threshold': '0' } });
  return {
    world,
    env: {},
    start: () => world.start(),
    end: async (how) => void (await (how === 'stopped' ? world.stop() : world.kill())),
    async copy() {
      const copy = join(copies, 'copy.db');
      const db = new DatabaseSync(file, { readOnly: true, timeout: 10_000 });
      await backup(db, copy);
      db.close();
      copyFileSync(mark, `${copy}.mark`);
      return copy;
    },
    async putBack(copy, { isAlone = false } = {}) {
      for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
      copyFileSync(copy, file);
      if (!isAlone) copyFileSync(`${copy}.mark`, mark);
    },
    ledger: async () => readLedger(world.dataDir),
    async close() {
      await world.close();
      rmSync(copies, { recursive: true });
    },
  };
}

export async function startOnRedis(): Promise<CopiedSite> {
  // A rewrite would move Redis's files during the copy.
  const redis = await startRedis({ 'auto-aof-rewrite-percentage': '0' });
  const world = await slowWorld();
  const env = { REDIS_URL: redis.url };
  const bots = await startReplicas(world, 0, env);
  const folders = [1, 2].map(() => mkdtempSync(join(tmpdir(), 'switchboard-replica-')));
  const start = async () => void (await Promise.all(folders.map((DATA_DIR) => bots.add({ DATA_DIR }))));
  await start();
  await link(world, { values: { 'Low-credit threshold': '0' } });
  return {
    world,
    env,
    start,
    end: async (how) =>
      void (await Promise.all(bots.all.map((bot) => (how === 'stopped' ? bot.stop() : bot.kill())))),
    copy: async () => redis.copy(),
    async putBack(copy, { isAlone = false } = {}) {
      await redis.putBack(copy);
      rmSync(copy, { recursive: true });
      // The mark in the bots' folders is newer than the copy. Without it, a bot knows nothing of the data.
      if (!isAlone) for (const folder of folders) rmSync(join(folder, 'redis-mark'), { force: true });
    },
    async ledger() {
      const { client, close } = await connect(redis.url);
      try {
        return await dumpRedis(client, 'switchboard:ledger:');
      } finally {
        close();
      }
    },
    async close() {
      await bots.close();
      for (const folder of folders) rmSync(folder, { recursive: true });
      await world.close();
      await redis.close();
    },
  };
}
