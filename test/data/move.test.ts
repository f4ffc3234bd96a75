import { once } from 'node:events';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { DataOptions } from '../../src/data/data.ts';
import { openForCommand, openStore } from '../../src/data/embedded.ts';
import { moveToRedis } from '../../src/data/move/move.ts';
import { openRedisStore } from '../../src/data/shared.ts';
import { tempFolder } from '../helpers/ledger-files.ts';
import { aJob, confirmed, LIMITS } from '../helpers/ledger-fixtures.ts';
import { startRedis, withoutRedis } from '../helpers/redis-server.ts';

/** Whether the process dies right after it has renamed the database. */
const dies = { atRename: false };
/** What happens just before a database is opened. */
const opening = { before() {} };

vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs')>();
  return {
    ...fs,
    renameSync(from: string, to: string) {
      fs.renameSync(from, to);
      if (dies.atRename && to.endsWith('switchboard-moved.db')) throw new Error('killed');
    },
    statSync(...args: Parameters<typeof fs.statSync>) {
      opening.before();
      return fs.statSync(...args);
    },
  };
});

const installation = (): DataOptions => ({
  dataDir: tempFolder(),
  encryptionKeys: [Buffer.alloc(32)],
  limits: LIMITS,
  onDamaged() {},
});

async function filled(options: DataOptions): Promise<void> {
  const store = await openStore(options);
  await confirmed(store.ledger, aJob('j1', [2]));
  const name = options.dataDir;
  await store.records.workspaces.set(name, { team: name, name, botUserId: 'U1', firstSeenAt: 1 });
  store.close();
}

test.skipIf(withoutRedis)(
  'a move that dies once the database is put aside is ended by the next one, and by no other installation’s',
  async () => {
    const server = await startRedis();
    onTestFinished(() => server.close());
    const mine = installation();
    const to = { url: server.url, allowVolatile: false };
    const move = ({ dataDir }: DataOptions) => moveToRedis({ ...to, dataDir });
    await filled(mine);
    dies.atRename = true;
    await expect(move(mine)).rejects.toThrow('killed');
    expect(existsSync(join(mine.dataDir, 'switchboard.db'))).toBe(false);
    await expect(openRedisStore({ ...mine, ...to })).rejects.toThrow(/was cut short/);

    // Another bot, which has moved its own database to another Redis before.
    const other = installation();
    await filled(other);
    const elsewhere = await startRedis();
    onTestFinished(() => elsewhere.close());
    dies.atRename = false;
    await moveToRedis({ ...to, url: elsewhere.url, dataDir: other.dataDir });
    await expect(move(other)).rejects.toThrow(/nothing to move/);

    expect(await move(mine)).toMatchObject({ aside: join(mine.dataDir, 'switchboard-moved.db') });
    expect(readFileSync(join(mine.dataDir, 'switchboard.mark'), 'utf8')).toBe('moved\n');
    const store = await openRedisStore({ ...mine, ...to });
    onTestFinished(store.close);
    expect(await store.ledger.find('j1')).toMatchObject({ state: 'running' });
    await expect(move(mine)).rejects.toThrow(/nothing to move/);
  },
);

test.skipIf(withoutRedis)(
  'a bot whose start on Redis failed leaves nothing in the way of a move',
  async () => {
    const server = await startRedis();
    onTestFinished(() => server.close());
    const options = installation();
    await filled(options);
    const to = { url: server.url, allowVolatile: false };
    const store = await openRedisStore({ ...installation(), ...to });
    await store.records.fingerprintSecret();
    store.close();
    expect((await moveToRedis({ ...to, dataDir: options.dataDir })).counts).toMatchObject({ sends: 1 });
  },
);

test.skipIf(withoutRedis)('a move names a damaged document, and leaves the database as it is', async () => {
  const server = await startRedis();
  onTestFinished(() => server.close());
  const options = installation();
  await filled(options);
  const { dataDir } = options;
  const file = join(dataDir, 'switchboard.db');
  const raw = new DatabaseSync(file);
  raw.exec(`UPDATE d_texts SET value = '[{"phone":"447946095800' WHERE id = 'j1/0'`);
  raw.close();
  await expect(moveToRedis({ url: server.url, allowVolatile: false, dataDir })).rejects.toMatchObject({
    code: 'unusable',
    message: 'The stored document texts/j1/0 is damaged: put a backup back that has it whole, and try again.',
  });
  expect(existsSync(file)).toBe(true);
});

test.skipIf(withoutRedis)(
  'the database stays until as many replicas have everything as are asked for',
  async () => {
    const server = await startRedis();
    onTestFinished(() => server.close());
    const options = installation();
    await filled(options);
    const { dataDir } = options;
    const to = { url: server.url, allowVolatile: false, dataDir };
    await expect(moveToRedis({ ...to, replicas: 1 })).rejects.toThrow(
      /^0 of 1 Redis replicas .* run this again\.$/,
    );
    expect(existsSync(join(dataDir, 'switchboard.db'))).toBe(true);
    expect((await moveToRedis(to)).counts).toMatchObject({ sends: 1 });
  },
);

/** A way to Redis that delays the first command with these words. */
async function slowWay(url: string, words: string) {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const { promise: gate, resolve: goOn } = Promise.withResolvers<void>();
  const server = createServer((near) => {
    const far = connect(Number(new URL(url).port), '127.0.0.1');
    for (const socket of [near, far]) socket.on('error', () => {});
    far.pipe(near);
    near.on('close', () => far.destroy());
    near.on('data', async (part) => {
      if (part.includes(words)) {
        reach();
        await gate;
      }
      far.write(part);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`, reached, goOn };
}

test.skipIf(withoutRedis)('two moves to one Redis at once: one is refused and adds nothing', async () => {
  const server = await startRedis();
  onTestFinished(() => server.close());
  const way = await slowWay(server.url, 'switchboard:keys-of:');
  const [mine, other] = [installation(), installation()];
  for (const each of [mine, other]) await filled(each);
  const allowVolatile = false;
  const late = moveToRedis({ url: way.url, allowVolatile, dataDir: mine.dataDir });
  late.catch(() => undefined);
  await way.reached;
  await moveToRedis({ url: server.url, allowVolatile, dataDir: other.dataDir });
  way.goOn();
  await expect(late).rejects.toMatchObject({ code: 'refused' });
  expect(existsSync(join(mine.dataDir, 'switchboard.db'))).toBe(true);
  const store = await openRedisStore({ ...other, url: server.url, allowVolatile });
  onTestFinished(store.close);
  expect((await store.records.workspaces.list()).map(({ name }) => name)).toEqual([other.dataDir]);
});

test.skipIf(withoutRedis)('a command beside a move is refused: what it writes could be lost', async () => {
  const server = await startRedis();
  onTestFinished(() => server.close());
  const way = await slowWay(server.url, 'switchboard:keys-of:');
  const options = installation();
  await filled(options);
  const moved = moveToRedis({ url: way.url, allowVolatile: false, dataDir: options.dataDir });
  moved.catch(() => undefined);
  await way.reached;
  // All documents are copied by now, and no record is.
  await expect(openForCommand(options)).rejects.toMatchObject({ code: 'locked' });
  way.goOn();
  expect((await moved).counts).toMatchObject({ sends: 1 });
});

test.skipIf(withoutRedis)('a move is refused while a command has the database open', async () => {
  const server = await startRedis();
  onTestFinished(() => server.close());
  const options = installation();
  await filled(options);
  const { dataDir } = options;
  const move = () => moveToRedis({ url: server.url, allowVolatile: false, dataDir });
  // Such as `add-instance`, which waits until somebody types the key.
  const command = await openForCommand(options);
  await expect(move()).rejects.toMatchObject({
    code: 'locked',
    message: `Another command or program is using ${join(dataDir, 'switchboard.db')}: wait for it or end it, then run this again. Nothing was moved.`,
  });
  await command.records.workspaces.delete(dataDir);
  command.close();
  expect((await move()).counts).toMatchObject({ sends: 1, records: 0 });
});

test.skipIf(withoutRedis)('a command that waits for the database until a move ends is refused', async () => {
  const server = await startRedis();
  onTestFinished(() => server.close());
  const way = await slowWay(server.url, 'switchboard:keys-of:');
  const options = installation();
  await filled(options);
  const { dataDir } = options;
  const moved = moveToRedis({ url: way.url, allowVolatile: false, dataDir });
  moved.catch(() => undefined);
  await way.reached;
  const command = new Worker(new URL('helpers/wait-for-database.ts', import.meta.url), {
    workerData: dataDir,
  });
  onTestFinished(() => void command.terminate());
  await once(command, 'message');
  way.goOn();
  const [[said]] = await Promise.all([once(command, 'message'), moved]);
  expect(said).toMatch(/^The database was moved to Redis: set REDIS_URL/);
});

test.each([false, true])(
  'nor does one begin an empty database if a move ends as it opens (alone: %s)',
  async (isAlone) => {
    const options = installation();
    await filled(options);
    const file = join(options.dataDir, 'switchboard.db');
    onTestFinished(() => {
      opening.before = () => {};
    });
    opening.before = () => {
      if (existsSync(file)) renameSync(file, join(options.dataDir, 'switchboard-moved.db'));
    };
    await expect(openForCommand(options, { isAlone })).rejects.toMatchObject({
      message: expect.stringMatching(/^The database was moved to Redis: set REDIS_URL/),
    });
    expect(existsSync(file)).toBe(false);
  },
);

test.skipIf(withoutRedis)(
  'beside a database that was not moved, no bot and no command works on Redis, empty or not',
  async () => {
    const server = await startRedis();
    onTestFinished(() => server.close());
    const to = { url: server.url, allowVolatile: false };
    const options = installation();
    await filled(options);
    const refused = {
      code: 'unusable',
      message: expect.stringMatching(/switchboard\.db was not moved to Redis/),
    };
    await expect(openRedisStore({ ...options, ...to })).rejects.toMatchObject(refused);
    // It has left nothing there.
    await expect(openRedisStore({ ...installation(), ...to, isOperator: true })).rejects.toThrow(
      /holds nothing/,
    );
    (await openRedisStore({ ...installation(), ...to })).close();
    for (const isOperator of [false, true])
      await expect(openRedisStore({ ...options, ...to, isOperator })).rejects.toMatchObject(refused);
    await moveToRedis({ ...to, dataDir: options.dataDir });
    (await openRedisStore({ ...options, ...to })).close();
  },
);

test.skipIf(withoutRedis)('a folder whose bot works on Redis gets no empty database', async () => {
  const server = await startRedis();
  onTestFinished(() => server.close());
  const options = installation();
  (await openRedisStore({ ...options, url: server.url, allowVolatile: false })).close();
  await expect(openStore(options)).rejects.toMatchObject({
    code: 'unusable',
    message: expect.stringMatching(/^The bot of this folder works on Redis: set REDIS_URL\./),
  });
  expect(existsSync(join(options.dataDir, 'switchboard.db'))).toBe(false);
});
