import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/data/embedded.ts';
import { openRedisStore } from '../../src/data/shared.ts';
import { tempFolder } from '../helpers/ledger-files.ts';
import { aSingle, confirmed, LIMITS } from '../helpers/ledger-fixtures.ts';
import { startRedis, withoutRedis } from '../helpers/redis-server.ts';

test('an old copy stays one, however often a start fails, until its bot renews the mark', async () => {
  const dataDir = tempFolder();
  const options = { dataDir, encryptionKeys: [Buffer.alloc(32, 7)], limits: LIMITS, onDamaged() {} };
  const file = join(dataDir, 'switchboard.db');
  const copy = join(tempFolder(), 'copy.db');
  const first = await openStore(options);
  expect(first.isOldCopy).toBe(false);
  await first.renewMark();
  first.close();
  copyFileSync(file, copy);
  const second = await openStore(options);
  await second.ledger.firstTime('something', 1000);
  await second.renewMark();
  second.close();
  copyFileSync(copy, file);
  for (const _start of [1, 2]) {
    const failed = await openStore(options);
    expect(failed.isOldCopy).toBe(true);
    failed.close();
  }
  const held = await openStore(options);
  await held.renewMark();
  held.close();
  const next = await openStore(options);
  expect(next.isOldCopy).toBe(false);
  next.close();
});

test.skipIf(withoutRedis)('an old copy of Redis is recognised, until its bot renews the mark', async () => {
  const server = await startRedis();
  onTestFinished(() => server.close());
  const options = {
    url: server.url,
    allowVolatile: false,
    dataDir: tempFolder(),
    encryptionKeys: [Buffer.alloc(32, 7)],
    limits: LIMITS,
    onDamaged() {},
  };
  const first = await openRedisStore(options);
  await first.renewMark();
  const copy = server.copy();
  await confirmed(first.ledger, aSingle('s1'));
  await first.renewMark();
  first.close();
  const second = await openRedisStore(options);
  expect(second.isOldCopy).toBe(false);
  second.close();
  await server.putBack(copy);
  for (const isLast of [false, true]) {
    const held = await openRedisStore(options);
    expect(held.isOldCopy).toBe(true);
    if (isLast) await held.renewMark();
    held.close();
  }
  const next = await openRedisStore(options);
  expect(next.isOldCopy).toBe(false);
  next.close();
});
