import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Connection, connect, type RedisClient } from '../../src/store/redis/connect.ts';
import { createRedisEngine } from '../../src/store/redis/engine.ts';
import type { Change } from '../../src/store/store.ts';
import { type RedisServer, startRedis, withoutRedis } from '../helpers/redis-server.ts';
import { engineContract, newVersion, type OpenEngine } from './engine.contract.ts';
import { engineModel } from './engine.model.ts';

/** A thousand calls at once must not fail because the machine is busy. */
const STEP_MS = 20_000;

describe.skipIf(withoutRedis)('on Redis', () => {
  let server: RedisServer;
  let connections: [Connection, Connection];
  beforeAll(async () => {
    server = await startRedis();
    connections = [await connect(server.url), await connect(server.url)];
  });
  afterAll(async () => {
    for (const connection of connections) connection.close();
    await server.close();
  });

  const open: OpenEngine = async (clock) => {
    const prefix = `test-${randomUUID()}:`;
    const [{ client }, { client: second }] = connections;
    await client.sendCommand(['SET', `${prefix}epoch`, 'e']);
    const options = { prefix, epoch: 'e', stepMs: STEP_MS, clock: clock.now };
    return {
      engine: createRedisEngine({ client, ...options }),
      join: async () => createRedisEngine({ client: second, ...options }),
      close: async () => {},
    };
  };

  engineContract('Redis', open);
  engineModel('Redis', open);
});

const A = { collection: 'send', id: 'a' };
const B = { collection: 'send', id: 'b' };

function writing(at: number, over: Partial<Change> = {}): Change {
  return {
    expected: [],
    puts: [{ address: A, stored: { version: newVersion(), text: '{}' } }],
    deletes: [],
    entries: { added: [], removed: [] },
    at,
    isSynced: true,
    ...over,
  };
}

async function start(stepMs?: number) {
  const server = await startRedis();
  onTestFinished(() => server.close());
  const connection = await connect(server.url);
  onTestFinished(() => connection.close());
  const commands: string[] = [];
  const client: RedisClient = {
    sendCommand(...command) {
      commands.push(String(command[0][0]));
      return connection.client.sendCommand(...command);
    },
  };
  await client.sendCommand(['SET', 'test:epoch', 'e']);
  const options = { client, prefix: 'test:', epoch: 'e', ...(stepMs === undefined ? {} : { stepMs }) };
  return { server, client, commands, options, engine: createRedisEngine(options) };
}

describe.skipIf(withoutRedis)('an engine on a Redis of its own', () => {
  test('a packed document that is damaged has no text, and the others that are read with it have theirs', async () => {
    const { client, engine } = await start();
    const text = JSON.stringify({ words: 'a text of a finished send, long enough to be packed '.repeat(4) });
    const version = newVersion();
    const puts = [A, B].map((address) => ({ address, stored: { version, text }, isAtRest: true }));
    await engine.commit(writing(engine.now(), { puts }));
    const key = 'test:d:send:a';
    await client.sendCommand(['SETRANGE', key, '30', 'damaged']);
    const { documents } = await engine.read([A, B], []);
    expect(documents).toEqual([
      { version, text: '' },
      { version, text },
    ]);
  });

  test.each([
    ['has another byte in its version', (bytes: Buffer) => bytes.fill(0xe9, 0, 1)],
    ['lacks the end of its version', (bytes: Buffer) => Buffer.from(String(bytes).replace(' ', '_'))],
    ['is empty', () => Buffer.alloc(0)],
  ])('a damaged document that %s can be written again, by the first who read it', async (_how, damaged) => {
    const { client, engine } = await start();
    await engine.commit(writing(engine.now()));
    const key = 'test:d:send:a';
    await client.sendCommand([
      'SET',
      key,
      damaged(Buffer.from(String(await client.sendCommand(['GET', key])))),
    ]);
    const { documents } = await engine.read([A], []);
    const expected = [{ address: A, version: documents[0]?.version }];
    const [first, second] = [writing(engine.now(), { expected }), writing(engine.now(), { expected })];
    expect(await engine.commit(first)).toMatchObject({ outcome: 'ok' });
    expect(await engine.commit(second)).toMatchObject({
      outcome: 'conflict',
      reading: { documents: [first.puts[0]?.stored] },
    });
  });

  test('documents are strings, and indexes are sorted sets that go with their last entry', async () => {
    const { client, engine } = await start();
    const entry = { collection: 'send', index: 'work', key: 'k!', id: 'a' };
    const version = newVersion();
    const puts = [{ address: A, stored: { version, text: '{"a":1}' } }];
    await engine.commit(writing(engine.now(), { puts, entries: { added: [entry], removed: [] } }));
    expect(await client.sendCommand(['GET', 'test:d:send:a'])).toBe(`${version} {"a":1}`);
    expect(await client.sendCommand(['ZRANGE', 'test:i:send.work', '0', '-1'])).toEqual(['k!\0a']);
    await engine.commit(
      writing(engine.now(), { puts: [], deletes: [A], entries: { added: [], removed: [entry] } }),
    );
    expect(await client.sendCommand(['KEYS', '*'])).toEqual(['test:epoch']);
  });

  test('a commit is one round trip, refused or not, and so is a read', async () => {
    const { commands, engine } = await start();
    await engine.read([A], []);
    commands.length = 0;
    const first = writing(engine.now(), { expected: [{ address: A, version: undefined }] });
    expect(await engine.commit(first)).toMatchObject({ outcome: 'ok' });
    const second = writing(engine.now(), { expected: [{ address: A, version: undefined }] });
    expect(await engine.commit(second)).toMatchObject({
      outcome: 'conflict',
      reading: { documents: [first.puts[0]?.stored] },
    });
    await engine.read([A, B], [{ collection: 'send', index: 'work', from: '', to: '~' }]);
    expect(commands).toEqual(['EVALSHA', 'EVALSHA', 'EVALSHA']);
  });

  test('Redis’s own time decides', async () => {
    const { client, engine } = await start();
    const { now } = await engine.read([], []);
    const [seconds] = (await client.sendCommand(['TIME'])) as [string, string];
    expect(Math.abs(now / 1000 - Number(seconds))).toBeLessThan(10);
    expect(await engine.commit(writing(now, { before: now }))).toMatchObject({ outcome: 'late' });
    expect(await engine.commit(writing(now - 60_000))).toMatchObject({ outcome: 'late' });
    expect(await engine.commit(writing(engine.now(), { before: now + 60_000 }))).toMatchObject({
      outcome: 'ok',
    });
  });

  test('a store that was emptied, or is another, is not touched', async () => {
    const { client, engine } = await start();
    await engine.commit(writing(engine.now()));
    for (const command of [['SET', 'test:epoch', 'another'], ['FLUSHALL']]) {
      await client.sendCommand(command);
      await expect(engine.read([A], [])).rejects.toMatchObject({ code: 'emptied' });
      const other = writing(engine.now(), { puts: [{ address: B, stored: { version: 'v', text: '{}' } }] });
      await expect(engine.commit(other)).rejects.toMatchObject({ code: 'emptied' });
      expect(await client.sendCommand(['EXISTS', 'test:d:send:b'])).toBe(0);
    }
  });

  test('a commit that was given up never happens, though Redis goes on in that very moment', async () => {
    const { server, client, engine } = await start(60);
    const done: unknown[] = [];
    for (let i = 0; i < 60; i += 1) {
      await engine.read([], []).catch(() => {});
      const puts = [
        { address: { collection: 'send', id: `${i}` }, stored: { version: newVersion(), text: '{}' } },
      ];
      server.freeze();
      await expect(engine.commit(writing(engine.now(), { puts }))).rejects.toMatchObject({ code: 'late' });
      server.thaw();
      await client.sendCommand(['PING']);
      done.push(await client.sendCommand(['EXISTS', `test:d:send:${i}`]));
    }
    expect(done).toEqual(Array(60).fill(0));
  });

  test('a Redis that has forgotten the script learns it again', async () => {
    const { client, engine } = await start();
    await engine.commit(writing(engine.now()));
    await client.sendCommand(['SCRIPT', 'FLUSH']);
    expect((await engine.read([A], [])).documents).toMatchObject([{ text: '{}' }]);
  });

  test('a repeat writes something small, so that WAIT has a write of its connection to ask for', async () => {
    const { client, engine } = await start();
    const change = writing(engine.now());
    const writes = async () => {
      const said = String(await client.sendCommand(['INFO', 'persistence']));
      return Number(/rdb_changes_since_last_save:(\d+)/.exec(said)?.[1]);
    };
    await engine.commit(change);
    const before = await writes();
    expect(await engine.commit(change)).toMatchObject({ outcome: 'ok' });
    expect((await writes()) - before).toBe(1);
  });

  test('committed documents are there after a kill', async () => {
    const { server, engine } = await start(STEP_MS);
    const change = writing(engine.now());
    await engine.commit(change);
    await server.restart();
    const documents = async () => (await engine.read([A], [])).documents;
    await expect.poll(() => documents().catch(() => [])).toEqual([change.puts[0]?.stored]);
  });
});
