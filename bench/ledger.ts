import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { connect } from '../src/store/redis/connect.ts';
import { openRedisStore } from '../src/store/redis/store.ts';
import { createSqliteLedger } from '../src/store/sqlite/ledger.ts';
import { openDatabase } from '../src/store/sqlite/open.ts';
import { startRedis } from '../test/helpers/redis-server.ts';
import type { Figure, Section } from './figures.ts';
import { compareIntents, LIMITS, SENDS } from './intents.ts';
import { openRawRedis, openRawSqlite } from './raw-writes.ts';
import { inScratchFolder } from './scratch-folder.ts';

/** What the ledger's two synced steps cost, against the least that a synced step can cost. */
export async function benchLedger(): Promise<Section> {
  const hasRedis = spawnSync('redis-server', ['--version']).error === undefined;
  return {
    title: 'The ledger’s synced steps',
    means:
      'Single texts, each taken (permit and intent in one step) and settled (answer, credits, permit, receipt in one ' +
      `step), beside one raw write: the median of ${SENDS} each. On SQLite that is one row updated in a transaction, ` +
      'WAL, `synchronous=FULL`, on the same disk. ' +
      (hasRedis
        ? 'On Redis it is a script that changes one field, by the same client library, `appendfsync always`.'
        : 'There is no `redis-server` on this machine: the lines of Redis are left out.'),
    figures: [...(await inScratchFolder(onSqlite)), ...(hasRedis ? await inScratchFolder(onRedis) : [])],
  };
}

async function onSqlite(folder: string): Promise<Figure[]> {
  const db = openDatabase(folder);
  const raw = openRawSqlite(folder);
  try {
    return await compareIntents('SQLite', createSqliteLedger(db, LIMITS), raw.write);
  } finally {
    raw.close();
    db.close();
  }
}

async function onRedis(dataDir: string): Promise<Figure[]> {
  const server = await startRedis();
  try {
    const store = await openRedisStore({
      url: server.url,
      allowVolatile: false,
      limits: LIMITS,
      dataDir,
      encryptionKeys: [randomBytes(32)],
      onDamaged(error) {
        throw error;
      },
    });
    const connection = await connect(server.url);
    const raw = await openRawRedis(connection.client);
    const figures = await compareIntents('Redis', store.ledger, raw.write);
    connection.close();
    store.close();
    return figures;
  } finally {
    await server.close();
  }
}
