import { once } from 'node:events';
import { type AddressInfo, connect as connectTo, createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createLedger } from '../../src/ledger/create-ledger.ts';
import { createRedisRecords, recordKey } from '../../src/records/redis/record-store.ts';
import { type Connection, connect } from '../../src/store/redis/connect.ts';
import { createRedisEngine } from '../../src/store/redis/engine.ts';
import { LEDGER_PREFIX } from '../../src/store/redis/prefix.ts';
import { createSteps } from '../../src/store/steps.ts';
import type { Address, Change, Engine } from '../../src/store/store.ts';
import { aJob, aSingle, confirmed, LIMITS } from '../helpers/ledger-fixtures.ts';
import { type RedisServer, startRedis, withoutRedis } from '../helpers/redis-server.ts';
import { newVersion } from './engine.contract.ts';

/** Where records look for the epoch, too. */
const PREFIX = LEDGER_PREFIX;
/** No step may be late because the machine is busy. */
const STEP_MS = 20_000;

async function aServer(): Promise<RedisServer> {
  // The primary accepts a replica without delay.
  const server = await startRedis({ 'repl-diskless-sync-delay': '0' });
  onTestFinished(() => server.close());
  return server;
}

async function connected(url: string): Promise<Connection> {
  const connection = await connect(url);
  onTestFinished(() => connection.close());
  return connection;
}

/** A primary with a replica that is up to date. */
async function aPair() {
  const [primary, replica] = [await aServer(), await aServer()];
  const toReplica = await connected(replica.url);
  const { client } = await connected(primary.url);
  await client.sendCommand(['SET', `${PREFIX}epoch`, 'e']);
  const { hostname, port } = new URL(primary.url);
  await toReplica.client.sendCommand(['REPLICAOF', hostname, port]);
  const epochThere = () => toReplica.client.sendCommand(['GET', `${PREFIX}epoch`]);
  await expect.poll(epochThere).toBe('e');
  return { primary, replica, toReplica };
}

/** An engine with a connection of its own. */
async function anEngine(url: string, replicas = 1): Promise<Engine> {
  const { client } = await connected(url);
  return createRedisEngine({ client, prefix: PREFIX, epoch: 'e', stepMs: STEP_MS, replicas });
}

function writing(engine: Engine, address: Address, isSynced = true): Change {
  return {
    expected: [],
    puts: [{ address, stored: { version: newVersion(), text: '{}' } }],
    deletes: [],
    entries: { added: [], removed: [] },
    at: engine.now(),
    isSynced,
  };
}

/** Repeats a commit until it is done, like its caller: a busy machine may confirm it late. */
async function untilDone(engine: Engine, change: Change): Promise<void> {
  const outcome = () =>
    engine.commit(change).then(
      ({ outcome }) => outcome,
      (error) => error.code,
    );
  await expect.poll(outcome).toBe('ok');
}

const A: Address = { collection: 'send', id: 'a' };

describe.skipIf(withoutRedis)('a commit that a replica must have', () => {
  test('is there when it is done', async () => {
    const { primary, toReplica } = await aPair();
    const engine = await anEngine(primary.url);
    await engine.read([], []);
    for (let i = 0; i < 50; i += 1) {
      const address = { collection: 'send', id: `${i}` };
      await untilDone(engine, writing(engine, address));
      expect(await toReplica.client.sendCommand(['EXISTS', `${PREFIX}d:send:${i}`])).toBe(1);
    }
  });

  test('is in doubt while the replica does not confirm it, and done when it is repeated later', async () => {
    const { primary, replica, toReplica } = await aPair();
    const engine = await anEngine(primary.url);
    await engine.read([], []);
    replica.freeze();
    const change = writing(engine, A);
    const doubt = { name: 'StoreTroubleError', code: 'late' };
    await expect(engine.commit(change)).rejects.toMatchObject(doubt);
    expect((await engine.read([A], [])).documents).toEqual([change.puts[0]?.stored]);
    // Another connection, which has written nothing, gets the same answer.
    const other = await anEngine(primary.url);
    await expect(other.commit(change)).rejects.toMatchObject(doubt);
    replica.thaw();
    await untilDone(other, change);
    expect(await toReplica.client.sendCommand(['EXISTS', `${PREFIX}d:send:a`])).toBe(1);
  });

  test('so is a change of records, such as a workspace’s new token', async () => {
    const { primary, replica, toReplica } = await aPair();
    const key = 'T1/C1';
    const open = async () => {
      const { client } = await connected(primary.url);
      const records = createRedisRecords(client, { epoch: 'e', replicas: 1 });
      return (text?: string) => records.commit([], [{ namespace: 'links', key, text }]);
    };
    const doubt = { name: 'StoreTroubleError', code: 'late' };
    const isThere = () => toReplica.client.sendCommand(['EXISTS', recordKey('links', key)]);
    const [one, other] = [await open(), await open()];
    replica.freeze();
    await expect(one('{}')).rejects.toMatchObject(doubt);
    replica.thaw();
    await expect.poll(() => one('{}').catch(() => false)).toBe(true);
    expect(await isThere()).toBe(1);
    // Another connection, which finds nothing left to delete, gets the same answer.
    replica.freeze();
    await expect(one()).rejects.toMatchObject(doubt);
    await expect(other()).rejects.toMatchObject(doubt);
    replica.thaw();
    await expect.poll(() => other().catch(() => false)).toBe(true);
    expect(await isThere()).toBe(0);
  });

  test('is not taken for done by others who ask for it again', async () => {
    const { primary, replica } = await aPair();
    const open = async (replicas: number) =>
      createLedger(createSteps(await anEngine(primary.url, replicas), STEP_MS), LIMITS);
    const before = await open(0);
    for (const send of [aSingle('undone'), aJob('paused', [1]), aJob('stopped', [1])])
      await confirmed(before, send);
    const ledger = await open(1);
    const cause = { by: 'U1', via: 'command' } as const;
    const entries = [{ hash: 'h', sealed: 'sealed' }];
    const asks: (() => Promise<unknown>)[] = [
      () => ledger.undo('undone', { by: 'U1', details: {}, keeps: null }),
      () => ledger.pause('paused', 'why'),
      () => ledger.stop('stopped'),
      () => ledger.changeOptOuts({ team: 'T1', to: 'out', cause, entries }),
    ];
    replica.freeze();
    for (const ask of asks) {
      for (let times = 0; times < 2; times += 1) await expect(ask()).rejects.toMatchObject({ code: 'late' });
    }
    replica.thaw();
    const later = async () => {
      const answers: unknown[] = [];
      for (const ask of asks) answers.push(await ask().catch((error) => error.code));
      return answers;
    };
    await expect.poll(later).toMatchObject([{ won: false }, false, false, 0]);
  });

  test('waits for no replica if it need not be on a disk, or was refused', async () => {
    const { primary, replica } = await aPair();
    const engine = await anEngine(primary.url);
    await engine.read([], []);
    replica.freeze();
    expect(await engine.commit(writing(engine, A, false))).toMatchObject({ outcome: 'ok' });
    const refused = { ...writing(engine, A), expected: [{ address: A, version: 'v-other' }] };
    expect(await engine.commit(refused)).toMatchObject({ outcome: 'conflict' });
  });
});

describe.skipIf(withoutRedis)('the server behind a connection', () => {
  test('is committed again when a replica takes over, which has all that was done', async () => {
    const { primary, replica, toReplica } = await aPair();
    const way = await aWay(primary.url);
    const connection = await connected(way.url);
    let changes = 0;
    connection.onReconnect(() => {
      changes += 1;
    });
    const options = { client: connection.client, prefix: PREFIX, epoch: 'e', stepMs: STEP_MS };
    const engine = createRedisEngine({ ...options, replicas: 1 });
    await engine.read([], []);
    const change = writing(engine, A);
    await untilDone(engine, change);
    expect(changes).toBe(0);

    await primary.kill();
    await toReplica.client.sendCommand(['REPLICAOF', 'NO', 'ONE']);
    way.leadTo(replica.url);
    const left = createRedisEngine(options);
    const documents = async () => (await left.read([A], [])).documents;
    await expect.poll(() => documents().catch(() => [])).toEqual([change.puts[0]?.stored]);
    await expect.poll(() => changes).toBeGreaterThan(0);
    expect(await left.commit(writing(left, A))).toMatchObject({ outcome: 'ok' });
  });

  test('is looked up again if it has become a replica and keeps the connection', async () => {
    const { primary, replica, toReplica } = await aPair();
    const way = await aWay(primary.url);
    const connection = await connected(way.url);
    let changes = 0;
    connection.onReconnect(() => {
      changes += 1;
    });
    const options = { client: connection.client, prefix: PREFIX, epoch: 'e', stepMs: STEP_MS };
    const engine = createRedisEngine(options);
    await engine.read([], []);
    const { client: toPrimary } = await connected(primary.url);
    const { hostname, port } = new URL(replica.url);
    await toReplica.client.sendCommand(['REPLICAOF', 'NO', 'ONE']);
    await toPrimary.sendCommand(['REPLICAOF', hostname, port]);
    // The name still leads to the old primary, so no commit is written, however often the engine tries.
    const refused = { code: 'refused', message: expect.stringContaining('READONLY') };
    await expect(engine.commit(writing(engine, A))).rejects.toMatchObject(refused);
    way.leadNewTo(replica.url);
    const outcome = () =>
      engine.commit(writing(engine, A)).then(
        (done) => done.outcome,
        (error) => error.code,
      );
    await expect.poll(outcome).toBe('ok');
    expect(changes).toBeGreaterThan(0);
    expect(await toReplica.client.sendCommand(['EXISTS', `${PREFIX}d:send:a`])).toBe(1);
  });
});

/** A way to a server, which a test can lead to another one. This closes all connections on the way. */
async function aWay(url: string) {
  let target = url;
  const lines = new Set<Socket>();
  const server = createServer((near) => {
    const far = connectTo(Number(new URL(target).port), '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      lines.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => other.destroy());
      socket.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    for (const socket of lines) socket.destroy();
    lines.clear();
  };
  onTestFinished(() => {
    close();
    server.close();
  });
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo(other: string) {
      target = other;
      close();
    },
    /** Leads only new connections there. */
    leadNewTo(other: string) {
      target = other;
    },
  };
}
