import { randomBytes } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aroundEach, describe, expect, test } from 'vitest';
import type { OpenStore } from '../../src/data/data.ts';
import { openRedisStore, type RedisOptions, resetRedisStore } from '../../src/data/shared.ts';
import { REDIS_FORMAT } from '../../src/data/upgrade/formats.ts';
import { connect, type RedisClient } from '../../src/store/redis/connect.ts';
import { resetLedger } from '../../src/store/redis/epoch.ts';
import { refuseVolatile } from '../../src/store/redis/refuse-volatile.ts';
import { StoreTroubleError } from '../../src/store/store-error.ts';
import { tempFolder } from '../helpers/ledger-files.ts';
import {
  aJob,
  aSingle,
  confirmed,
  drain,
  forJobs,
  forSingles,
  freshToken,
  halved,
  inFlight,
  LIMITS,
  messages,
  SENT,
  states,
  taken,
} from '../helpers/ledger-fixtures.ts';
import { type RedisServer, startRedis, withoutRedis } from '../helpers/redis-server.ts';
import { asOneOfMany, whenOver } from '../helpers/side-by-side.ts';

aroundEach(asOneOfMany);

const encryptionKeys = [randomBytes(32)];

async function aServer(settings?: { [name: string]: string }): Promise<RedisServer> {
  const server = await startRedis(settings);
  whenOver(() => server.close());
  return server;
}

const onRedis = describe.skipIf(withoutRedis);

/** The rights that docs/operating.md names for a user of Redis. */
const RIGHTS = /'~switchboard:\*' \+.*/
  .exec(readFileSync(join(import.meta.dirname, '../../docs/operating.md'), 'utf8'))?.[0]
  .replaceAll("'", '')
  .split(' ') as string[];

/** A bot's store, by default with a data folder of its own. */
async function replica(server: RedisServer, over: Partial<RedisOptions> = {}): Promise<OpenStore> {
  const store = await openRedisStore({
    url: server.url,
    dataDir: tempFolder(),
    encryptionKeys,
    allowVolatile: false,
    limits: LIMITS,
    onDamaged: (error) => {
      throw error;
    },
    ...over,
  });
  whenOver(() => store.close());
  return store;
}

async function ask(server: RedisServer, ...command: string[]): Promise<unknown> {
  const connection = await connect(server.url);
  try {
    return await connection.client.sendCommand(command);
  } finally {
    connection.close();
  }
}

/** The error of a refused step. */
function refusal(work: () => Promise<unknown>): Promise<Error> {
  return work().then(
    () => new Error('it was done'),
    (caught: Error) => caught,
  );
}

async function passed(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

/** Tries until Redis is back: work resumes by itself. */
async function resumed(store: OpenStore): Promise<void> {
  while ((await refusal(() => store.ledger.nextDueAt())) instanceof StoreTroubleError) await passed(20);
}

onRedis('two replicas', () => {
  test('at most sixty permits over all of them', async () => {
    const server = await aServer();
    const [a, b] = [await replica(server), await replica(server)];
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => (i % 2 ? a : b).ledger.permit('k1', 'interactive', freshToken())),
    );
    expect(answers.filter(({ kind }) => kind === 'taken')).toHaveLength(60);
  });

  test.concurrent('chunks of a dead bot are unknown once their deadline is over, not before, and announced once', async ({
    expect: expected,
  }) => {
    const server = await aServer();
    const limits = { ...LIMITS, leaseMs: 3000, timeoutMs: 100 };
    const [a, b] = [await replica(server, { limits }), await replica(server, { limits })];
    await inFlight(a.ledger, 's1', { topics: ['receipt'] });
    a.close();
    await b.ledger.recover();
    expect(await states(b.ledger, 's1')).toEqual(['sending']);
    await passed(3100);
    const c = await replica(server, { limits });
    await Promise.all([b.ledger.recover(), c.ledger.recover()]);
    expect(await states(b.ledger, 's1')).toEqual(['unknown']);
    await expected.poll(() => drain(c.ledger)).toEqual(['receipt:s1']);
  });

  test.concurrent('a row that a dead bot was posting is posted by another after its lease', async ({
    expect: expected,
  }) => {
    const server = await aServer();
    const [a, b] = [await replica(server), await replica(server)];
    await a.ledger.announce({ id: 'r1', topic: 'receipt', subject: 's1', details: null });
    // On a busy machine, a bot knows Redis's clock only within a few ms.
    await expected.poll(() => a.ledger.takeDue(freshToken(), 3000)).toMatchObject({ id: 'r1' });
    a.close();
    expect(await b.ledger.takeDue(freshToken(), 3000)).toBeUndefined();
    await passed(3100);
    await expected.poll(() => b.ledger.takeDue(freshToken(), 3000)).toMatchObject({ id: 'r1', attempts: 1 });
  });

  test('a record that one bot deletes while another writes it is in the list if it is there at all', async () => {
    const server = await aServer();
    const [a, b] = [(await replica(server)).records, (await replica(server)).records];
    const aWorkspace = (team: string) => ({ team, name: team, botUserId: 'U1', firstSeenAt: 1 });
    const teams = Array.from({ length: 500 }, (_, i) => `T${i}`);
    for (const team of teams) {
      await a.workspaces.set(team, aWorkspace(team));
      await Promise.all([a.workspaces.delete(team), b.workspaces.set(team, aWorkspace(team))]);
    }
    const there = await a.workspaces.getMany(teams);
    const listed = await a.workspaces.list();
    expect(listed.map(({ team }) => team).sort()).toEqual(there.map(({ team }) => team).sort());
  });

  test('both fingerprint keys with the same secret, though they start together', async () => {
    const server = await aServer();
    const stores = await Promise.all([replica(server), replica(server), replica(server)]);
    const secrets = await Promise.all(stores.map(({ records }) => records.fingerprintSecret()));
    expect(new Set(secrets.map((secret) => secret.toString('hex'))).size).toBe(1);
  });
});

onRedis.concurrent('a frozen Redis', () => {
  test('every step fails in time, and a step that was given up does not happen afterwards', async () => {
    const server = await aServer();
    const store = await replica(server);
    const { ledger } = store;
    await ledger.draft(aSingle('undecided'));
    await confirmed(ledger, aSingle('untaken'));
    const flying = await inFlight(ledger, 'flying', { instance: 'i2' });
    server.freeze();
    const given = await Promise.all([
      refusal(() => ledger.decide('undecided', { to: 'running', by: 'U1' })),
      refusal(() => ledger.take(forSingles())),
      refusal(() => ledger.settle(flying.ref, flying.token, SENT)),
      refusal(() => ledger.draft(aSingle('undrafted'))),
      refusal(() => ledger.permit('k2', 'interactive', freshToken())),
      refusal(() => ledger.announce({ id: 'r1', topic: 'receipt', subject: 's1', details: null })),
      refusal(() => ledger.changeState('low', { from: undefined, to: 'on', details: null })),
      refusal(() => ledger.firstTime('click', 60_000)),
      refusal(() => store.records.workspaces.list()),
    ]);
    for (const error of given) expect(error).toMatchObject({ code: 'late' });
    server.thaw();
    await resumed(store);
    expect((await ledger.find('undecided'))?.state).toBe('draft');
    expect(await states(ledger, 'untaken')).toEqual(['pending']);
    expect(await states(ledger, 'flying')).toEqual(['sending']);
    expect(await ledger.find('undrafted')).toBeUndefined();
    expect(await ask(server, 'EXISTS', 'switchboard:ledger:d:permits:k2')).toBe(0);
    expect(await ledger.nextDueAt()).toBeUndefined();
    expect(await ledger.namedState('low')).toBeUndefined();
    expect(await ledger.firstTime('click', 60_000)).toBe(true);
    expect((await ledger.settle(flying.ref, flying.token, SENT)).settled).toBe(true);
  });

  test('frozen for longer than a connection is kept, and than a new one may take: work resumes all the same', async () => {
    const server = await aServer();
    const store = await replica(server);
    // A single text would be too old after ten seconds.
    await confirmed(store.ledger, aJob('s1', [1]));
    server.freeze();
    for (let i = 0; i < 9; i += 1) {
      expect(await refusal(() => store.ledger.take(forJobs()))).toMatchObject({ name: 'StoreTroubleError' });
    }
    server.thaw();
    await resumed(store);
    expect(await states(store.ledger, 's1')).toEqual(['pending']);
    await taken(store.ledger, forJobs());
    await store.records.workspaces.list();
  });

  test('frozen again and again in the midst of work: nothing is taken twice or lost', async () => {
    const server = await aServer();
    const stores = [await replica(server), await replica(server)];
    const sends = Array.from({ length: 20 }, (_, i) => `s${i}`);
    for (const id of sends) await confirmed((stores[0] as OpenStore).ledger, aSingle(id));
    const handed: string[] = [];
    let over = false;
    const freezing = (async () => {
      for (let i = 0; i < 3; i += 1) {
        await passed(30);
        server.freeze();
        await passed(1200);
        server.thaw();
      }
      over = true;
    })();
    await Promise.all(
      stores.map(async ({ ledger }) => {
        let token = freshToken();
        for (;;) {
          // Without an answer, the bot asks again with the same token, as the port allows.
          const next = await ledger.take(forSingles({ token })).catch(() => undefined);
          if (next?.kind === 'idle' && over) return;
          if (next?.kind !== 'taken') {
            await passed(10);
            continue;
          }
          handed.push(next.send.id);
          const ref = { send: next.send.id, index: 0 };
          for (;;) {
            const settled = await ledger.settle(ref, token, SENT).catch(() => undefined);
            if (settled) break;
            await passed(10);
          }
          token = freshToken();
        }
      }),
    );
    await freezing;
    expect(handed.toSorted()).toEqual(sends.toSorted());
    const { ledger } = stores[0] as OpenStore;
    for (const id of sends) expect(await states(ledger, id)).toEqual(['sent']);
  });
});

onRedis('a Redis that goes and comes back', () => {
  test.each(['SIGKILL', 'SIGTERM'] as const)(
    'after %s everything is there, and work resumes by itself',
    async (signal) => {
      const server = await aServer();
      const store = await replica(server);
      const { ledger } = store;
      await confirmed(ledger, aJob('j1', [2, 3], { details: { text: 'Ünïcode 👍' } }));
      const attempt = await taken(ledger, forJobs());
      await ledger.draft(aSingle('s1'));
      const before = { send: await ledger.find('j1'), chunks: await ledger.chunks('j1') };
      await server.restart(signal);
      await resumed(store);
      expect({ send: await ledger.find('j1'), chunks: await ledger.chunks('j1') }).toEqual(before);
      expect((await ledger.settle(attempt.ref, attempt.token, SENT)).settled).toBe(true);
      expect((await ledger.decide('s1', { to: 'running', by: 'U1' })).won).toBe(true);
    },
  );

  test('while it is gone every step fails at once', async ({ expect: expected }) => {
    const server = await aServer();
    const { ledger } = await replica(server);
    await confirmed(ledger, aSingle('s1'));
    await server.kill();
    expect(await refusal(() => ledger.take(forSingles()))).toMatchObject({ code: 'refused' });
    // The error must say why.
    await expected
      .poll(() => refusal(() => ledger.find('s1')))
      .toMatchObject({ code: 'refused', message: expect.stringContaining('ECONNREFUSED') });
  });

  test('with an older copy of its data, a chunk has its own messages, not those that Redis lost', async () => {
    const server = await aServer();
    const [a, b] = [await replica(server), await replica(server)];
    await confirmed(a.ledger, aJob('j1', [2, 2]));
    const [one, two] = [await taken(a.ledger, forJobs()), await taken(a.ledger, forJobs())];
    const copy = server.copy();
    await a.ledger.settle(one.ref, one.token, halved(one.chunk.messages));
    expect((await taken(b.ledger, forJobs())).chunk).toMatchObject({ index: 2, parent: 0 });
    const connected = Promise.all([a, b].map(({ onReconnect }) => new Promise<void>(onReconnect)));
    await server.putBack(copy);
    await connected;
    await passed(100);
    await a.ledger.settle(two.ref, two.token, halved(two.chunk.messages));
    expect((await taken(b.ledger, forJobs())).chunk).toMatchObject({
      index: 2,
      parent: 1,
      messages: two.chunk.messages.slice(0, 1),
    });
  });
});

onRedis('BGSAVE’s file', () => {
  test('is not read if appendonly is yes; put back as docs/operating.md says, everything is there', async ({
    expect: expected,
  }) => {
    const server = await aServer();
    const dataDir = tempFolder();
    await confirmed((await replica(server, { dataDir })).ledger, aSingle('s1'));
    await ask(server, 'SAVE');
    const saved = readFileSync(join(server.folder, 'dump.rdb'));
    const putBackTo = async (settings?: { [name: string]: string }) => {
      const other = await aServer(settings);
      await other.kill();
      rmSync(join(other.folder, 'appendonlydir'), { recursive: true, force: true });
      writeFileSync(join(other.folder, 'dump.rdb'), saved);
      await other.restart();
      return other;
    };
    const opened = (other: RedisServer, isOperator = false) => replica(other, { dataDir, isOperator });
    await expect(opened(await putBackTo())).rejects.toThrow(/emptied/);

    const reading = await putBackTo({ appendonly: 'no' });
    await ask(reading, 'CONFIG', 'SET', 'appendonly', 'yes');
    await expected
      .poll(() => ask(reading, 'INFO', 'persistence'))
      .toMatch(/aof_rewrite_in_progress:0[\s\S]*aof_last_bgrewrite_status:ok/);
    await reading.kill();
    const last = await aServer();
    await last.putBack(reading.folder);
    expect(await states((await opened(last, true)).ledger, 's1')).toEqual(['pending']);
    // The copy does not know whether the text was sent since.
    expect(await states((await opened(last)).ledger, 's1')).toEqual(['sending']);
  });
});

onRedis('a text that waits when bots meet another server of Redis', () => {
  test('may have been taken, so nobody takes it; a text decided later goes out', async () => {
    const server = await aServer();
    const stores = [await replica(server), await replica(server)] as const;
    const [{ ledger: a }, { ledger: b }] = stores;
    await confirmed(a, aSingle('s1'));
    await a.draft(aSingle('s2'));
    await a.decide('s2', { to: 'running', by: 'U1', startsInMs: 60_000 });
    await server.restart();
    for (const store of stores) await resumed(store);
    for (const ledger of [b, a]) expect((await ledger.take(forSingles())).kind).not.toBe('taken');
    expect(await states(a, 's1')).toEqual(['sending']);
    expect(await states(a, 's2')).toEqual(['pending']);
    await confirmed(a, aSingle('s3'));
    expect((await taken(b)).ref.send).toBe('s3');
  });

  test('was not taken if only the connection was lost, so it goes out', async () => {
    const server = await aServer();
    const store = await replica(server);
    await confirmed(store.ledger, aSingle('s1'));
    const again = new Promise<void>(store.onReconnect);
    await ask(server, 'CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await again;
    expect((await taken(store.ledger)).ref.send).toBe('s1');
  });

  test('may have been taken before a bot starts', async () => {
    const server = await aServer();
    const before = await replica(server);
    await confirmed(before.ledger, aSingle('s1'));
    before.close();
    await server.restart();
    const { ledger } = await replica(server);
    expect(await ledger.take(forSingles())).toEqual({ kind: 'idle' });
    expect(await states(ledger, 's1')).toEqual(['sending']);
  });
});

onRedis('an emptied Redis', () => {
  test('is refused by bots that worked with it, until an operator begins a new ledger', async () => {
    const server = await aServer();
    const dataDir = tempFolder();
    const { ledger, records } = await replica(server, { dataDir });
    await confirmed(ledger, aSingle('s1'));
    await ask(server, 'FLUSHALL');
    for (const step of [
      () => ledger.take(forSingles()),
      () => ledger.find('s1'),
      () => ledger.draft(aSingle('s2')),
      () => ledger.recover(),
      () => ledger.firstTime('click', 1000),
      () => records.workspaces.get('T1'),
      () => records.workspaces.list(),
      () => records.workspaces.set('T1', { team: 'T1', name: 'Acme', botUserId: 'UBOT', firstSeenAt: 1 }),
      () => records.inOneStep(async (step) => step.delete(records.workspaces, 'T1')),
    ]) {
      expect(await refusal(step)).toMatchObject({ code: 'emptied', message: /emptied/ });
    }
    await expect(replica(server, { dataDir })).rejects.toThrow(/emptied.*reset-store/);
    await resetRedisStore({ url: server.url, dataDir });
    expect(await refusal(() => ledger.find('s1'))).toMatchObject({ code: 'emptied' });
    const after = await replica(server, { dataDir });
    expect(await after.ledger.find('s1')).toBeUndefined();
    await confirmed(after.ledger, aSingle('s2'));
    expect((await taken(after.ledger)).send.id).toBe('s2');
    expect(await after.records.workspaces.list()).toEqual([]);
  });

  test('is refused by an operator’s command, which must not look done, and gets no key from it', async () => {
    const server = await aServer();
    await expect(replica(server, { isOperator: true })).rejects.toMatchObject({
      code: 'unusable',
      message: expect.stringMatching(
        /^Redis holds nothing of Switchboard, so nothing was done: set REDIS_URL /,
      ),
    });
    expect(await ask(server, 'KEYS', '*')).toEqual([]);
    await replica(server);
    await replica(server, { isOperator: true });
  });

  test('one operator’s word is enough for all replicas', async () => {
    const server = await aServer();
    const [one, two] = [tempFolder(), tempFolder()];
    for (const dataDir of [one, two]) await replica(server, { dataDir });
    await ask(server, 'FLUSHALL');
    await expect(replica(server, { dataDir: two })).rejects.toThrow(/reset-store/);
    await resetRedisStore({ url: server.url, dataDir: one });
    await replica(server, { dataDir: two });
  });

  test('an operator’s earlier word still counts after a later one', async () => {
    const server = await aServer();
    const [one, two] = [tempFolder(), tempFolder()];
    for (const dataDir of [one, two]) await replica(server, { dataDir });
    for (let times = 0; times < 2; times += 1) await resetRedisStore({ url: server.url, dataDir: one });
    await replica(server, { dataDir: two });
  });

  /** A connection that fails at its `after`th command, or waits before the command `name`. */
  async function operator(server: RedisServer, at: { after?: number; name?: string; until?: Promise<void> }) {
    const connection = await connect(server.url);
    whenOver(() => connection.close());
    let left = at.after ?? Number.POSITIVE_INFINITY;
    const client: RedisClient = {
      async sendCommand(...command) {
        left -= 1;
        if (left < 0) throw new Error('cut short');
        if (at.name !== undefined && command[0].includes(at.name)) await at.until;
        return connection.client.sendCommand(...command);
      },
    };
    return (dataDir: string) => resetLedger(client, { dataDir, format: REDIS_FORMAT });
  }

  test('a reset is cut short at any command: no bot works with the rest, and any folder may reset it again', async () => {
    const server = await aServer();
    for (let cut = 0, isCut = true; isCut; cut += 1) {
      await ask(server, 'FLUSHALL');
      const dataDir = tempFolder();
      const bot = await replica(server, { dataDir });
      await confirmed(bot.ledger, aSingle('s1'));
      const reset = await operator(server, { after: cut });
      isCut = await reset(tempFolder()).then(
        () => false,
        () => true,
      );
      if (!isCut) continue;
      const fresh = await replica(server).catch((error: Error) => error);
      if ('ledger' in fresh) expect(await fresh.ledger.find('s1'), `cut at ${cut}`).toBeDefined();
      else expect(fresh.message).toMatch(/emptied.*reset-store/);
      await resetRedisStore({ url: server.url, dataDir: tempFolder() });
      const after = await replica(server, { dataDir });
      expect(await after.ledger.find('s1')).toBeUndefined();
    }
  });

  test('two resets at once: the second one touches nothing that was written after the first', async ({
    expect: expected,
  }) => {
    const server = await aServer();
    const dataDir = tempFolder();
    await confirmed((await replica(server, { dataDir })).ledger, aSingle('s1'));
    const gate = Promise.withResolvers<void>();
    const late = (await operator(server, { name: 'UNLINK', until: gate.promise }))(tempFolder());
    late.catch(() => undefined);
    await expected.poll(() => ask(server, 'EXISTS', 'switchboard:ledger:epoch')).toBe(0);
    await resetRedisStore({ url: server.url, dataDir });
    const { ledger } = await replica(server, { dataDir });
    await confirmed(ledger, aSingle('s1'));
    gate.resolve();
    await expect(late).rejects.toMatchObject({ code: 'refused' });
    expect(await ledger.find('s1')).toMatchObject({ state: 'running' });
    await taken(ledger);
  });

  test('a folder that can’t say which Redis it has seen is refused in one sentence', async () => {
    const server = await aServer();
    const dataDir = tempFolder();
    // As little to read as a file of another account, also for root.
    mkdirSync(join(dataDir, 'redis-epoch'));
    await expect(replica(server, { dataDir })).rejects.toMatchObject({
      code: 'unusable',
      message: expect.stringMatching(/^\S+redis-epoch can't be used \(.*\): DATA_DIR must be .*\.$/),
    });
  });

  test('another Redis than before is refused', async () => {
    const dataDir = tempFolder();
    const [first, second] = [await aServer(), await aServer()];
    await replica(first, { dataDir });
    await replica(second);
    // If the other one is in use, a reset would empty it.
    await expect(replica(second, { dataDir })).rejects.toThrow(/another store.*Check REDIS_URL first/);
  });

  test('a ledger whose epoch alone is gone is refused by everybody', async () => {
    const server = await aServer();
    await replica(server);
    await ask(server, 'DEL', 'switchboard:ledger:epoch');
    await expect(replica(server)).rejects.toThrow(/emptied/);
  });

  test('records survive a new beginning', async () => {
    const server = await aServer();
    const dataDir = tempFolder();
    const { records } = await replica(server, { dataDir });
    const workspace = { team: 'T1', name: 'Acme', botUserId: 'UBOT', firstSeenAt: 1 };
    await records.workspaces.set('T1', workspace);
    const secret = await records.fingerprintSecret();
    await resetRedisStore({ url: server.url, dataDir });
    const after = await replica(server, { dataDir });
    expect(await after.records.workspaces.list()).toEqual([workspace]);
    expect(await after.records.fingerprintSecret()).toEqual(secret);
  });
});

test.each([
  ['ERR unknown command', 'appendonly yes (now not readable)'],
  ['NOPERM this user has no permissions to run the command', 'appendonly yes (now not readable)'],
  ['The client is offline', "Redis can't be used"],
  ['read ECONNRESET', "Redis can't be used"],
])(
  'settings are hidden where Redis refuses to tell them, and not where it is out of reach: %s',
  (said, told) =>
    expect(refuseVolatile({ sendCommand: () => Promise.reject(new Error(said)) })).rejects.toThrow(told),
);

onRedis('at start', () => {
  test('a Redis that may forget is refused, naming the settings', async () => {
    const server = await aServer({ appendfsync: 'everysec', 'maxmemory-policy': 'allkeys-lru' });
    await expect(replica(server)).rejects.toThrow(
      'Redis may forget what was sent, and somebody would be texted twice: set appendfsync always (now everysec), maxmemory-policy noeviction (now allkeys-lru), or accept that with REDIS_ALLOW_VOLATILE=true.',
    );
    const { ledger } = await replica(server, { allowVolatile: true });
    await confirmed(ledger, aSingle('s1'));
  });

  test('so is a Redis that writes to its disk later while it rewrites its file', async () => {
    const server = await aServer({ 'no-appendfsync-on-rewrite': 'yes' });
    await expect(replica(server)).rejects.toThrow('set no-appendfsync-on-rewrite no (now yes), or accept');
  });

  test('and later: a Redis that takes its place and may forget is reported, with the settings', async ({
    expect: expected,
  }) => {
    const server = await aServer();
    const told: unknown[] = [];
    await replica(server, { onVolatile: (error) => void told.push(error) });
    await ask(server, 'CONFIG', 'SET', 'appendfsync', 'everysec');
    await ask(server, 'CLIENT', 'KILL', 'TYPE', 'normal');
    await expected.poll(() => String(told)).toContain('set appendfsync always (now everysec)');
  });

  test('and so are more replicas than must have a write: one that takes over may let a text be taken again', async ({
    expect: expected,
  }) => {
    const [primary, near, far] = await Promise.all(
      [1, 2, 3].map(() => aServer({ 'repl-diskless-sync': 'no' })),
    );
    if (!primary || !near || !far) throw new Error('no servers');
    const follow = async (one: RedisServer, other: RedisServer, count: number) => {
      const { hostname, port } = new URL(other.url);
      await ask(one, 'REPLICAOF', hostname, port);
      await expected.poll(() => ask(other, 'WAIT', String(count), '500')).toBe(count);
    };
    await follow(near, primary, 1);
    const told: unknown[] = [];
    const tell = { replicas: 1, onVolatile: (error: Error) => void told.push(error) };
    const { isOtherServer } = await replica(primary, tell);
    await follow(far, primary, 2);
    expected(told).toEqual([]);
    // A bot asks this after each reconnect.
    await isOtherServer();
    expected(told).toHaveLength(1);
    const { ledger } = await replica(primary, tell);
    expected(told).toHaveLength(2);
    for (const each of told)
      expected(String(each)).toContain('Redis has 2 replicas, and only 1 must have a write (REDIS_REPLICAS)');
    await confirmed(ledger, aSingle('s1'));
    const keys = await ask(primary, 'DBSIZE');
    await expected.poll(() => ask(far, 'DBSIZE')).toBe(keys);
    await ask(far, 'REPLICAOF', '127.0.0.1', '1');
    await taken(ledger, forSingles());
    await primary.kill();
    await ask(far, 'REPLICAOF', 'NO', 'ONE');
    await follow(near, far, 1);
    const other = await replica(far, { replicas: 1 });
    expected((await taken(other.ledger, forSingles())).send.id).toBe('s1');
  });

  test('if Redis is not there, a sentence says so, without the password', async () => {
    const server = await aServer();
    await server.kill();
    const url = server.url.replace('redis://', 'redis://:hushhush@');
    const error = await replica({ ...server, url }).catch((caught: Error) => caught);
    expect(error).toMatchObject({ name: 'StoreError', message: /can't be reached at 127\.0\.0\.1:\d+ / });
    expect(String(error)).not.toContain('hushhush');
  });

  test('a Redis that is too slow to show its settings is not taken for one that hides them', async () => {
    const server = await aServer();
    const { client, close } = await connect(server.url);
    whenOver(close);
    server.freeze();
    await expect(refuseVolatile(client)).rejects.toMatchObject({ name: 'StoreTroubleError', code: 'late' });
    server.thaw();
    await refuseVolatile(client);
  });

  test('nor is one that refuses everything for a while, as during a script of somebody else', async ({
    expect: expected,
  }) => {
    const server = await aServer({ 'busy-reply-threshold': '10' });
    const { client, close } = await connect(server.url);
    whenOver(close);
    const other = await connect(server.url);
    whenOver(other.close);
    const endless = expect(other.client.sendCommand(['EVAL', 'while true do end', '0'])).rejects.toThrow();
    await expected.poll(() => client.sendCommand(['PING']).catch(String)).toContain('BUSY');
    await expect(refuseVolatile(client)).rejects.toMatchObject({ code: 'refused', message: /BUSY/ });
    await client.sendCommand(['SCRIPT', 'KILL']);
    await endless;
  });

  test('a user who may not use all that the bot needs is refused, naming what is missing', async () => {
    const server = await aServer();
    const url = server.url.replace('//', '//bot:secret@');
    const grant = (...rules: string[]) =>
      ask(server, 'ACL', 'SETUSER', 'bot', 'reset', 'on', '>secret', ...rules);
    await grant(...RIGHTS);
    await replica({ ...server, url });
    const lonely = await replica({ ...server, url }, { replicas: 1 });
    await expect(lonely.ledger.tryToWrite('a', 1000)).rejects.toThrow(/replica/i);
    expect(await ask(server, 'ACL', 'LOG')).toEqual([]);
    const refusalOf = async (...rules: string[]) => {
      await grant(...RIGHTS, ...rules);
      return replica({ ...server, url }).catch((error: Error) => error.message);
    };
    expect(await refusalOf('-zrem', '-del')).toMatch(
      /^Redis does not let the bot use DEL, ZREM on switchboard:\*: /,
    );
    expect(await refusalOf('-info', '-scan')).toMatch(
      /^Redis does not let the bot use INFO, SCAN on switchboard:\*: /,
    );
    expect(await refusalOf('resetkeys', '~other:*')).toMatch(
      /^Redis does not let the bot use DEL, .*ZSCORE on /,
    );
  });

  test('the rights that a start checks are all that the code uses', async () => {
    const server = await aServer();
    await ask(
      server,
      'ACL',
      'SETUSER',
      'bot',
      'reset',
      'on',
      '>secret',
      '~*',
      '+eval',
      '+evalsha',
      '+@connection',
    );
    const url = server.url.replace('//', '//bot:secret@');
    const said = await replica({ ...server, url }, { allowVolatile: true }).catch(String);
    const named = /use ([A-Z, ]+) on /.exec(said as string)?.[1]?.split(', ');
    // A start itself uses these, or the bot goes on without them.
    const others = ['BGREWRITEAOF', 'CONFIG', 'EVAL', 'EVALSHA', 'PING', 'WAIT'];
    const src = join(import.meta.dirname, '../../src');
    const used = globSync(`${src}/{store/redis,records/redis,data}/**/*.{ts,lua}`).flatMap((file) =>
      [
        ...readFileSync(file, 'utf8').matchAll(
          /(?:call|ask)\('([A-Z]+)'|(?:sendCommand\(|client, )\['([A-Z]+)'/g,
        ),
      ].map(([, one, two]) => one ?? two),
    );
    expect([...new Set(used)].filter((name) => !others.includes(name ?? '')).sort()).toEqual(
      named?.filter((name) => name !== 'WAIT'),
    );
  });

  test('data of a newer version are refused', async () => {
    const server = await aServer();
    await replica(server);
    await ask(server, 'SET', 'switchboard:ledger:format', '99');
    await expect(replica(server)).rejects.toMatchObject({ code: 'newer' });
  });
});

onRedis('records', () => {
  const link = {
    team: 'T1',
    channel: 'C1',
    instanceId: 'i1',
    threshold: 100,
    whoCanSend: 'everyone' as const,
    people: [],
    guests: false,
    receiptLine: true,
    linkedBy: 'U1',
    linkedAt: 2,
  };

  test('are shared, listed by workspace and deleted', async () => {
    const server = await aServer();
    const [a, b] = [await replica(server), await replica(server)];
    for (const [team, channel] of [
      ['T1', 'C1'],
      ['T1', 'C2'],
      ['T11', 'C3'],
    ] as const) {
      await a.records.links.set(`${team}/${channel}`, { ...link, team, channel });
    }
    expect(await b.records.links.get('T1/C1')).toEqual(link);
    expect((await b.records.links.list('T1')).map(({ channel }) => channel)).toEqual(['C1', 'C2']);
    expect(await b.records.links.delete('T1/C1')).toBe(true);
    expect(await b.records.links.delete('T1/C1')).toBe(false);
    expect(await a.records.links.get('T1/C1')).toBeUndefined();
    expect((await a.records.links.list()).map(({ channel }) => channel)).toEqual(['C2', 'C3']);
    expect(await ask(server, 'EXISTS', 'switchboard:links::T1/C2')).toBe(1);
  });

  test('a write that Redis refuses is thrown', async () => {
    const server = await aServer();
    const { records } = await replica(server);
    await ask(server, 'CONFIG', 'SET', 'maxmemory', '1');
    await expect(records.links.set('T1/C1', link)).rejects.toThrow();
    await ask(server, 'CONFIG', 'SET', 'maxmemory', '0');
    expect(await records.links.get('T1/C1')).toBeUndefined();
  });
});

onRedis('a full Redis', () => {
  test('refuses to take, and neither permit nor intent is half done', async () => {
    const server = await aServer();
    const { ledger } = await replica(server);
    await confirmed(ledger, aSingle('s1'));
    await ask(server, 'CONFIG', 'SET', 'maxmemory', '1');
    expect(await refusal(() => ledger.take(forSingles()))).toMatchObject({
      code: 'refused',
      message: "Redis can't be used (step): OOM command not allowed when used memory > 'maxmemory'.",
    });
    await ask(server, 'CONFIG', 'SET', 'maxmemory', '0');
    expect(await states(ledger, 's1')).toEqual(['pending']);
    expect(await ask(server, 'EXISTS', 'switchboard:ledger:d:permits:k1')).toBe(0);
    await taken(ledger);
  });
});

onRedis('a list of 100,000 people', () => {
  test('is written in slices; taking, settling and counting look at single chunks only', async () => {
    const server = await aServer();
    const { ledger } = await replica(server);
    await ledger.draft(aJob('j1', []));
    for (let i = 0; i < 40; i += 1) {
      await ledger.appendChunks(
        'j1',
        Array.from({ length: 25 }, () => messages(100)),
      );
    }
    await ledger.decide('j1', { to: 'running', by: 'U1' });
    await ask(server, 'CONFIG', 'RESETSTAT');
    const { ref, token } = await taken(ledger, forJobs());
    await ledger.settle(ref, token, SENT);
    expect((await ledger.tally('j1')).states).toMatchObject({
      sent: { chunks: 1, messages: 100 },
      pending: { chunks: 999, messages: 99_900 },
    });
    const stats = String(await ask(server, 'INFO', 'commandstats'));
    const calls = [...stats.matchAll(/cmdstat_\w+:calls=(\d+)/g)].map(([, n]) => Number(n));
    expect(calls.reduce((sum, n) => sum + n, 0)).toBeLessThan(150);
    expect(await ledger.stop('j1')).toBe(true);
    expect((await ledger.tally('j1')).states.cancelled.chunks).toBe(999);
  });
});
