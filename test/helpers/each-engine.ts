import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest';
import { connect } from '../../src/store/redis/connect.ts';
import { createRedisEngine } from '../../src/store/redis/engine.ts';
import { createSqliteEngine } from '../../src/store/sqlite/engine.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import type { Engine } from '../../src/store/store.ts';
import { tempFolder } from './ledger-files.ts';
import type { HandClock } from './ledger-fixtures.ts';
import { createMemoryEngine } from './memory-engine.ts';
import { type RedisServer, startRedis, withoutRedis } from './redis-server.ts';

type OpenEngine = (clock: HandClock) => Promise<Engine>;

const inMemory: OpenEngine = async ({ now }) => createMemoryEngine(now);

const onSqlite: OpenEngine = async ({ now }) => {
  const db = openDatabase(tempFolder());
  // Writes need not be synced: no test here cuts the power.
  db.raw.exec('PRAGMA synchronous=OFF');
  onTestFinished(() => db.close());
  return createSqliteEngine(db, now);
};

/** Runs these tests on each engine: on an empty store in memory, in a SQLite file, and on a real Redis. */
export function eachEngine(tests: (open: OpenEngine) => void): void {
  describe('in memory', () => tests(inMemory));
  describe('in a SQLite file', () => tests(onSqlite));
  describe.skipIf(withoutRedis)('on a real Redis', () => {
    let server: RedisServer;

    beforeAll(async () => {
      server = await startRedis();
    });
    afterAll(() => server.close());

    tests(async ({ now: clock }) => {
      const { client, close } = await connect(server.url);
      onTestFinished(close);
      const [prefix, epoch] = [`test-${randomUUID()}:`, randomUUID()];
      await client.sendCommand(['SET', `${prefix}epoch`, epoch]);
      return createRedisEngine({ client, prefix, epoch, stepMs: 20_000, clock });
    });
  });
}
