import { randomBytes } from 'node:crypto';
import { lookup } from 'node:dns';
import { once } from 'node:events';
import { type AddressInfo, connect as connectTo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@keyv/redis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openRedisStore } from '../../src/data/shared.ts';
import { createRedisRecords } from '../../src/records/redis/record-store.ts';
import { withTimeout } from '../../src/store/redis/ask.ts';
import { type Connection, connect } from '../../src/store/redis/connect.ts';
import { EPOCH_KEY } from '../../src/store/redis/epoch.ts';
import { createReconnectingClient, type RawClient } from '../../src/store/redis/reconnecting-client.ts';
import { tempFolder } from '../helpers/ledger-files.ts';
import { forJobs, LIMITS } from '../helpers/ledger-fixtures.ts';
import { startRedis, withoutRedis } from '../helpers/redis-server.ts';

/** A way to Redis. `cut` loses all that its open connections carry from then on, and tells neither side. */
async function startWay(url: string) {
  const target = Number(new URL(url).port);
  const lines = new Set<Socket>();
  let takesLines = true;
  const server = createServer((near) => {
    if (!takesLines) {
      // This connection stays open, and nobody answers on it. The next one gets through.
      takesLines = true;
      lines.add(near);
      near.on('error', () => {});
      near.resume();
      return;
    }
    const far = connectTo(target, '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      lines.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => other.destroy());
    }
    near.pipe(far);
    far.pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of lines) socket.destroy();
    server.close();
  });
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      for (const socket of lines) {
        socket.unpipe();
        socket.resume();
      }
    },
    /** Closes all connections. Nobody answers on the next one, as if its host were lost meanwhile. */
    closeAndSwallowNext() {
      takesLines = false;
      for (const socket of lines) socket.destroy();
      lines.clear();
    },
  };
}

/** Repeats what fails until the replica is there, or the line is. */
async function eventually<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch {
      await sleep(50);
    }
  }
}

async function answers(connection: Pick<Connection, 'client'>): Promise<boolean> {
  const answer = withTimeout(200, 'PING', connection.client.sendCommand(['PING']));
  return (await answer.catch(() => undefined)) === 'PONG';
}

describe.skipIf(withoutRedis)('a line that was cut without a word', () => {
  test('is replaced by a new one, for the ledger and for records', async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.close());
    const way = await startWay(redis.url);
    const connection = await connect(way.url);
    onTestFinished(() => connection.close());
    await connection.client.sendCommand(['SET', EPOCH_KEY, 'e']);
    const recordsOf = () => createRedisRecords(connection.client, { epoch: 'e', replicas: 0 });
    const records = recordsOf();
    await records.commit([], [{ namespace: 'things', key: 'a', text: '1' }]);
    expect(await answers(connection)).toBe(true);
    way.cut();
    expect(await answers(connection)).toBe(false);
    while (!(await answers(connection))) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await records.read('things', ['a'])).toEqual(['1']);
    expect(await recordsOf().read('things', ['a'])).toEqual(['1']);
  });

  test('is replaced, and a step that waited on it does not run on the new one, also if replicas confirm', async () => {
    const [redis, other] = [await startRedis({ 'repl-diskless-sync': 'no' }), await startRedis()];
    onTestFinished(() => Promise.all([redis.close(), other.close()]).then(() => undefined));
    const { client, close } = await connect(other.url);
    onTestFinished(close);
    await client.sendCommand(['REPLICAOF', '127.0.0.1', new URL(redis.url).port]);
    const way = await startWay(redis.url);
    const dataDir = tempFolder();
    const options = { url: way.url, dataDir, replicas: 1, limits: LIMITS, allowVolatile: false };
    const open = () =>
      openRedisStore({ ...options, encryptionKeys: [randomBytes(32)], onDamaged: () => undefined });
    const store = await eventually(open);
    onTestFinished(() => store.close());
    let connections = 0;
    store.onReconnect(() => {
      connections += 1;
    });
    /** Whether the step joined its queue before a reconnect, and counted after it. */
    async function isLate(): Promise<boolean> {
      const before = connections;
      await store.ledger.take(forJobs());
      return connections > before;
    }
    const steps: Promise<boolean>[] = [];
    way.cut();
    for (; connections === 0; await sleep(20)) steps.push(isLate().catch(() => false));
    expect((await Promise.all(steps)).filter(Boolean)).toEqual([]);
    expect(await eventually(() => isLate())).toBe(false);
  });

  test('is replaced if it was new, and nobody has answered on it yet', async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.close());
    const way = await startWay(redis.url);
    const connection = await connect(way.url);
    onTestFinished(() => connection.close());
    let changes = 0;
    connection.onReconnect(() => {
      changes += 1;
    });
    way.closeAndSwallowNext();
    await expect.poll(() => answers(connection)).toBe(true);
    expect(changes).toBe(1);
  });

  test('is replaced by one that takes long to open, and no other connection stays', async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.close());
    const way = await startWay(redis.url);
    // Its host's name is found at once for the first connection, and late for each one after it.
    let lateMs = 0;
    const slowly = (host: string, options: object, found: () => void) =>
      setTimeout(() => lookup(host, { ...options, family: 4 }, found), lateMs);
    const first: RawClient = createClient({
      url: way.url.replace('127.0.0.1', 'localhost'),
      disableOfflineQueue: true,
      socket: { connectTimeout: 5000, lookup: slowly as never },
    });
    first.on('error', () => {});
    await first.connect();
    lateMs = 3500;
    const client = createReconnectingClient(first, () => {});
    onTestFinished(() => client.close());
    way.cut();
    await expect.poll(() => answers({ client })).toBe(true);
    const all = async () =>
      String(await client.sendCommand(['CLIENT', 'LIST']))
        .trim()
        .split('\n').length;
    await expect.poll(all).toBe(1);
  });
});
