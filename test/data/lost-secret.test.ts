import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { DataOptions } from '../../src/data/data.ts';
import { openStore } from '../../src/data/embedded.ts';
import { openRedisStore } from '../../src/data/shared.ts';
import { recordKey } from '../../src/records/redis/record-store.ts';
import { connect } from '../../src/store/redis/connect.ts';
import { tempFolder } from '../helpers/ledger-files.ts';
import { LIMITS } from '../helpers/ledger-fixtures.ts';
import { startRedis, withoutRedis } from '../helpers/redis-server.ts';

const options = (): DataOptions => ({
  dataDir: tempFolder(),
  encryptionKeys: [Buffer.alloc(32)],
  limits: LIMITS,
  onDamaged() {},
});

function onDatabase() {
  const own = options();
  return {
    open: () => openStore(own),
    async loseSecret() {
      const raw = new DatabaseSync(join(own.dataDir, 'switchboard.db'));
      raw.exec("DELETE FROM kv WHERE namespace = 'secrets'");
      raw.close();
    },
  };
}

async function onRedis() {
  const server = await startRedis();
  onTestFinished(() => server.close());
  const own = { ...options(), url: server.url, allowVolatile: false };
  return {
    open: () => openRedisStore(own),
    async loseSecret() {
      const { client, close } = await connect(server.url);
      await client.sendCommand(['DEL', recordKey('secrets', 'fingerprint')]);
      close();
    },
  };
}

const ENGINES = [
  { engine: 'the database', start: onDatabase },
  ...(withoutRedis ? [] : [{ engine: 'Redis', start: onRedis }]),
];

describe.each(ENGINES)('on $engine', ({ start }) => {
  test('no secret is made beside opt-outs: it would find none of them, also if no instance is left', async () => {
    const { open, loseSecret } = await start();
    const store = await open();
    await store.records.fingerprintSecret();
    const cause = { by: 'U1', via: 'command' } as const;
    const entries = [{ hash: 'h1', sealed: 'sealed' }];
    await store.ledger.changeOptOuts({ team: 'T1', to: 'out', cause, entries });
    store.close();
    await loseSecret();
    const again = await open();
    onTestFinished(again.close);
    await expect(again.records.fingerprintSecret()).rejects.toMatchObject({ code: 'record_damaged' });
    await again.ledger.forgetOptOuts();
    expect(await again.records.fingerprintSecret()).toHaveLength(32);
  });
});
