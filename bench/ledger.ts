import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createLedger } from '../src/ledger/create-ledger.ts';
import { connect } from '../src/store/redis/connect.ts';
import { createSqliteEngine } from '../src/store/sqlite/engine.ts';
import { openDatabase } from '../src/store/sqlite/open.ts';
import { createSteps } from '../src/store/steps.ts';
import { startRedis } from '../test/helpers/redis-server.ts';
import { openBenchStore } from './bench-store.ts';
import type { Figure, Section } from './figures.ts';
import { compareIntents, LIMITS, SENDS } from './intents.ts';
import { openRawRedis, openRawSqlite } from './raw-writes.ts';
import { inScratchFolder } from './scratch-folder.ts';

/** What the ledger's two synced steps cost, beside the least that a synced step can cost. */
export async function benchLedger(): Promise<Section> {
  const hasRedis = spawnSync('redis-server', ['--version']).error === undefined;
  return {
    title: 'The ledger’s synced steps',
    means:
      'Single texts, each taken (permit and intent in one step) and settled (answer, credits, permit, receipt in one ' +
      `step), beside one raw write: the median of ${SENDS} each. A key has at most 60 permits in use. On SQLite that is one row updated in a transaction, ` +
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
    const ledger = createLedger(createSteps(createSqliteEngine(db)), LIMITS);
    return await compareIntents('SQLite', ledger, { writeRaw: raw.write, atMost: 1.3 });
  } finally {
    raw.close();
    db.close();
  }
}

async function onRedis(dataDir: string): Promise<Figure[]> {
  const server = await startRedis();
  try {
    const store = await openBenchStore(server.url, dataDir, randomBytes(32));
    const connection = await connect(server.url);
    const raw = await openRawRedis(connection.client);
    const figures = await compareIntents('Redis', store.ledger, { writeRaw: raw.write, atMost: 1.8 });
    connection.close();
    store.close();
    return figures;
  } finally {
    await server.close();
  }
}
