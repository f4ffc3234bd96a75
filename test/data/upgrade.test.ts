import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { aroundEach, describe, expect, test } from 'vitest';
import { openForCommand, openStore } from '../../src/data/embedded.ts';
import { openRedisStore } from '../../src/data/shared.ts';
import { FIRST_IN_SQLITE, REDIS_FORMAT, SQLITE_FORMAT } from '../../src/data/upgrade/formats.ts';
import { OLD_TABLES } from '../../src/data/upgrade/old-sqlite.ts';
import { openUpgraded } from '../../src/data/upgrade/open-sqlite.ts';
import { findUpgradedEpoch } from '../../src/data/upgrade/upgrade-redis.ts';
import { upgradeDatabase } from '../../src/data/upgrade/upgrade-sqlite.ts';
import { createLedger } from '../../src/ledger/create-ledger.ts';
import { connect, type RedisClient } from '../../src/store/redis/connect.ts';
import { createRedisEngine } from '../../src/store/redis/engine.ts';
import { createSqliteEngine } from '../../src/store/sqlite/engine.ts';
import { lockDataDir } from '../../src/store/sqlite/lock.ts';
import { type Database, openDatabase } from '../../src/store/sqlite/open.ts';
import { createSteps } from '../../src/store/steps.ts';
import { dumpRedis, dumpSqlite } from '../helpers/dump-store.ts';
import { expectWhole } from '../helpers/expect-whole.ts';
import { tempFolder } from '../helpers/ledger-files.ts';
import { handClock, LIMITS } from '../helpers/ledger-fixtures.ts';
import { startRedis, withoutRedis } from '../helpers/redis-server.ts';
import { asOneOfMany, whenOver } from '../helpers/side-by-side.ts';
import { answersIn, answersOf } from './old/answers.ts';

/** Stores of earlier formats, each as its own version wrote it. */
const OLD_SQLITE = [6, 7, 8, 9, 12];
const OLD_REDIS = [2, 4, 7, 8];

const old = (name: string) => readFileSync(join(import.meta.dirname, 'old', name), 'utf8');

aroundEach(asOneOfMany);

const OPENING = { encryptionKeys: [Buffer.alloc(32)], limits: LIMITS, onDamaged: () => {} };

function formatIn(folder: string): unknown {
  const raw = new DatabaseSync(join(folder, 'switchboard.db'));
  const row = raw.prepare('PRAGMA user_version').get();
  raw.close();
  return row?.user_version;
}

describe('the format of a database', () => {
  test('is written once, and it opens again', async () => {
    const folder = tempFolder();
    for (let i = 0; i < 2; i += 1) {
      (await openUpgraded(folder)).close();
      expect(formatIn(folder)).toBe(SQLITE_FORMAT);
    }
  });

  test('a newer database is refused in one sentence and left as it is', async () => {
    const folder = tempFolder();
    const db = await openUpgraded(folder);
    db.raw.exec(`PRAGMA user_version=${SQLITE_FORMAT + 1}`);
    db.close();
    const before = readFileSync(join(folder, 'switchboard.db'));
    await expect(openUpgraded(folder)).rejects.toMatchObject({
      code: 'newer',
      message: expect.stringMatching(/^[^\n]* was written by a newer version of Switchboard [^.\n]*\.$/),
    });
    expect(readFileSync(join(folder, 'switchboard.db'))).toEqual(before);
  });

  test.each([
    ['this version, or one before, began', [1000 + 9, 1000 * SQLITE_FORMAT + 9], 'old'],
    [
      'a newer version began',
      [1000 * (SQLITE_FORMAT + 1) + 9, 1000 * (SQLITE_FORMAT + 1) + SQLITE_FORMAT],
      'newer',
    ],
  ])('an upgrade that was cut short goes on where %s it, or is refused', async (_who, formats, is) => {
    for (const format of formats) {
      const folder = folderOf('format-9.sql');
      const raw = new DatabaseSync(join(folder, 'switchboard.db'));
      raw.exec(`PRAGMA user_version=${format}`);
      raw.close();
      const opening = openUpgraded(folder);
      if (is === 'newer') await expect(opening).rejects.toMatchObject({ code: 'newer' });
      else (await opening).close();
      expect(formatIn(folder)).toBe(is === 'newer' ? format : SQLITE_FORMAT);
    }
  });

  test('if its upgrade fails, the database is refused and is as it was', async () => {
    const folder = tempFolder();
    const raw = new DatabaseSync(join(folder, 'switchboard.db'));
    raw.exec('CREATE TABLE somebodys (own INTEGER); PRAGMA user_version=6;');
    raw.close();
    await expect(openUpgraded(folder)).rejects.toMatchObject({ code: 'unusable' });
    expect(formatIn(folder)).toBe(6);
  });

  test.each([1, 5])(
    'one of format %i is refused in one sentence, which says what to start first',
    async (format) => {
      const folder = folderOf('format-6.sql');
      const file = join(folder, 'switchboard.db');
      const raw = new DatabaseSync(file);
      raw.exec(`PRAGMA user_version=${format}`);
      raw.close();
      await expect(openUpgraded(folder)).rejects.toMatchObject({
        code: 'unusable',
        message: `${file} was written by a version of Switchboard before 22 November 2026 (format ${format}, this one upgrades 6 and later): start the version of 25 November 2026 once, then this one.`,
      });
      expect(formatIn(folder)).toBe(format);
    },
  );
});

function folderOf(sql: string): string {
  const folder = tempFolder();
  const raw = new DatabaseSync(join(folder, 'switchboard.db'));
  raw.exec(old(sql));
  raw.close();
  return folder;
}

function opened(folder: string): Database {
  const db = openDatabase(folder);
  whenOver(() => db.close());
  return db;
}

/** A database that fails at its `after`th step. */
function breakingDatabase(db: Database, after: number): Database {
  let left = after;
  return {
    ...db,
    transaction(work) {
      left -= 1;
      if (left < 0) throw new Error('cut short');
      return db.transaction(work);
    },
  };
}

test('the last format before today’s has a sample', () => {
  expect(OLD_SQLITE.at(-1)).toBe(SQLITE_FORMAT - 1);
  expect(OLD_REDIS.at(-1)).toBe(REDIS_FORMAT - 1);
});

// A version before documents wrote the first file; versions with documents wrote the others.
describe.each(OLD_SQLITE.map((format) => `format-${format}.sql`))('the database in %s', (sql) => {
  const answers = answersIn(old('format-6.answers.json'));

  test('has documents afterwards, and the ledger gives the same answers as before', async () => {
    const clock = handClock(answers.now);
    const db = opened(folderOf(sql));
    await upgradeDatabase(db);
    const ledger = createLedger(createSteps(createSqliteEngine(db, clock.now)), LIMITS);
    expectWhole(dumpSqlite(db), { isUpgraded: true });
    expect(await answersOf(ledger, clock)).toEqual(answers);
    const ofT1 = (await ledger.unknowns('T1')).map(({ chunk }) => chunk.send);
    const listed = await Promise.all(
      (['single', 'job'] as const).map((kind) => ledger.undecided({ team: 'T1', kind, limit: 100 })),
    );
    expect(
      listed
        .flat()
        .map(({ ref }) => ref.send)
        .sort(),
    ).toEqual(ofT1.sort());
    expect(ofT1.length).toBeGreaterThan(0);
    const tables = db.raw.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    for (const { name } of tables)
      expect([...OLD_TABLES, 'd_days', 'd_lanes', 'd_episodes']).not.toContain(name);
    expect(db.raw.prepare('PRAGMA user_version').get()).toEqual({ user_version: SQLITE_FORMAT });
    expect(db.raw.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    expect(db.raw.prepare('SELECT key FROM kv').all()).toEqual([{ key: 'T1/C1' }]);
  });

  test('cut short at any step, it begins again', async () => {
    for (let cut = 0, isCut = true; isCut; cut += 1) {
      const clock = handClock(answers.now);
      const db = opened(folderOf(sql));
      isCut = await upgradeDatabase(breakingDatabase(db, cut)).then(
        () => false,
        () => true,
      );
      expect(cut > 0 || isCut).toBe(true);
      // Documents are half rewritten, so to all earlier versions the format must look newer.
      const format = Number(db.raw.prepare('PRAGMA user_version').get()?.user_version);
      if (isCut && sql !== 'format-6.sql') {
        expect(format).toBeGreaterThan(SQLITE_FORMAT);
        // Versions until format 12 would go on with a format from 1000 to 1000 plus their own.
        expect(format).toBeGreaterThanOrEqual(1000 + SQLITE_FORMAT);
      }
      await upgradeDatabase(db);
      const ledger = createLedger(createSteps(createSqliteEngine(db, clock.now)), LIMITS);
      expect(await answersOf(ledger, clock)).toEqual(answers);
    }
  });
});

test('an upgrade names a damaged document, and quotes nothing of it', async () => {
  const folder = folderOf('format-12.sql');
  const raw = new DatabaseSync(join(folder, 'switchboard.db'));
  const { id } = raw.prepare('SELECT id FROM d_sends LIMIT 1').get() ?? {};
  raw.prepare('UPDATE d_sends SET value = ? WHERE id = ?').run('{"phone":"447946095800', String(id));
  raw.close();
  await expect(openUpgraded(folder)).rejects.toMatchObject({
    code: 'unusable',
    message: `The stored document sends/${id} is damaged: put a backup back that has it whole, and try again.`,
  });
});

describe('a database of format 9, whose sends are in no history yet', () => {
  test('has all of them in it afterwards, those that were decided to be sent', async () => {
    const clock = handClock();
    const db = opened(folderOf('format-8.sql'));
    await upgradeDatabase(db);
    const whole = dumpSqlite(db).entries;
    db.raw.exec("DELETE FROM entries WHERE name GLOB 'sends.history*'; PRAGMA user_version=9");
    expect(dumpSqlite(db).entries.length).toBeLessThan(whole.length);
    await upgradeDatabase(db);
    expect(dumpSqlite(db).entries).toEqual(whole);
    const ledger = createLedger(createSteps(createSqliteEngine(db, clock.now)), LIMITS);
    const found = await ledger.history({ team: 'T1', limit: 100 });
    expect(found.length).toBeGreaterThan(5);
    for (const { send } of found)
      expect(['draft', 'cancelled', 'superseded', 'expired']).not.toContain(send.state);
  });
});

test('states of an earlier version that nobody needs any more can be deleted afterwards, and no others', async () => {
  const clock = handClock();
  const db = opened(folderOf('format-9.sql'));
  const add = db.raw.prepare('INSERT INTO d_states VALUES (?, ?, ?)');
  const states = {
    'credit:T1/C8': 'armed',
    'credit:T1/C9': 'low',
    'key:T1/i8': 'works',
    'key:T1/i9': 'refused',
  };
  for (const [name, state] of Object.entries(states)) {
    add.run(name, `v-${state}`, JSON.stringify({ state, details: { count: 1 }, movedAt: clock.now() }));
  }
  await upgradeDatabase(db);
  const ledger = createLedger(createSteps(createSqliteEngine(db, clock.now)), LIMITS);
  expect(await ledger.namedState('credit:T1/C8')).toMatchObject({ state: 'armed', details: { count: 1 } });
  while ((await ledger.deleteOver('states', clock.now() + 1)) > 0);
  const left = [];
  for (const name of Object.keys(states)) if (await ledger.namedState(name)) left.push(name);
  expect(left).toEqual(['credit:T1/C9', 'key:T1/i9']);
});

describe('a database of format 6', () => {
  const formatSix = () => folderOf('format-6.sql');

  test('a bot that starts on it upgrades it, and takes over the requests in flight', async () => {
    const store = await openStore({ ...OPENING, dataDir: formatSix() });
    whenOver(() => store.close());
    expect(await store.ledger.chunks('sending')).toMatchObject([{ state: 'unknown', account: 'a4' }]);
    expect(await store.ledger.find('sending')).toMatchObject({ state: 'finished' });
  });

  test('what the version before did after an upgrade that was cut short counts', async () => {
    const db = opened(formatSix());
    await expect(upgradeDatabase(breakingDatabase(db, 2))).rejects.toThrow('cut short');
    const texts = () => db.raw.prepare("SELECT id FROM d_texts WHERE id LIKE 'draft-job/%'").all();
    expect(texts()).toHaveLength(3);
    for (const table of ['chunk_messages', 'chunks']) {
      db.raw.exec(`DELETE FROM ${table} WHERE send = 'draft-job'`);
    }
    await upgradeDatabase(db);
    expect(texts()).toEqual([]);
  });

  test('a command that may run beside a bot leaves it as it is, whether a bot runs or not', async () => {
    const folder = formatSix();
    const file = join(folder, 'switchboard.db');
    // From now on it has a write-ahead log, as each bot's database.
    openDatabase(folder).close();
    const before = readFileSync(file);
    const command = () => openForCommand({ ...OPENING, dataDir: folder });
    const lock = lockDataDir(folder, 0);
    for (const end of [() => lock.release(), () => {}]) {
      await expect(command()).rejects.toMatchObject({
        code: 'unusable',
        message: `${file} is of an older version of Switchboard: stop its bot, start one of this version, and try again. Nothing was changed.`,
      });
      end();
    }
    expect(readFileSync(file)).toEqual(before);
  });

  test('a command that needs the bot stopped upgrades it, but not under a bot', async () => {
    const folder = formatSix();
    const command = () => openForCommand({ ...OPENING, dataDir: folder }, { isAlone: true });
    const lock = lockDataDir(folder, 0);
    await expect(command()).rejects.toMatchObject({ code: 'locked' });
    expect(formatIn(folder)).toBe(FIRST_IN_SQLITE - 1);
    lock.release();
    const { ledger, close } = await command();
    expect((await ledger.find('sent'))?.state).toBe('finished');
    expect(formatIn(folder)).toBe(SQLITE_FORMAT);
    expect(() => lockDataDir(folder, 0)).toThrow(/Another bot/);
    close();
    lockDataDir(folder, 0).release();
  });
});

describe.skipIf(withoutRedis).concurrent('a Redis of format 1', () => {
  const answers = answersIn(old('redis-1.answers.json'));
  const prefix = 'switchboard:ledger:';
  const options = () => ({ dataDir: tempFolder() });

  /** A Redis of the test's own with the data of this format, by default the first. */
  async function oldRedis(format: number | string = 1) {
    const server = await startRedis();
    whenOver(() => server.close());
    const connection = await connect(server.url);
    whenOver(() => connection.close());
    const { client } = connection;
    const ask = (...command: string[]) => client.sendCommand(command);
    async function fill(): Promise<void> {
      await ask('FLUSHALL');
      for (const command of JSON.parse(old(`redis-${format}.json`)) as string[][]) await ask(...command);
    }
    await fill();
    return {
      server,
      client,
      ask,
      fill,
      async expectUpgraded(epoch: string): Promise<void> {
        const clock = handClock(answers.now);
        const engine = createRedisEngine({ client, prefix, epoch, clock: clock.now });
        expectWhole(await dumpRedis(client, prefix), { isUpgraded: true });
        expect(await answersOf(createLedger(createSteps(engine), LIMITS), clock)).toEqual(answers);
        expect(await ask('GET', `${prefix}format`)).toBe(String(REDIS_FORMAT));
        const keys = (await ask('KEYS', '*')) as string[];
        const others = keys.filter((key) => !/^switchboard:ledger:[di]:/.test(key));
        expect(others.sort()).toEqual([`${prefix}epoch`, `${prefix}format`]);
      },
    };
  }

  test('has documents afterwards, and the ledger gives the same answers as before', async () => {
    const { client, expectUpgraded } = await oldRedis();
    await expectUpgraded(await findUpgradedEpoch(client, options()));
  });

  test.each(OLD_REDIS)('so is a store of format %i, cut short at any command', async (format) => {
    const { client, ask, expectUpgraded } = await oldRedis(format);
    const given = options();
    for (let cut = 0; ; cut += 1) {
      const done = await findUpgradedEpoch(breaking(client, cut), given).catch(() => undefined);
      // The mark expires by itself.
      await ask('DEL', `${prefix}upgrading`);
      if (done !== undefined) return await expectUpgraded(done);
      // The old format, or one that is newer than any earlier version knows.
      expect([format, REDIS_FORMAT - 0.5]).toContain(Number(await ask('GET', `${prefix}format`)));
    }
  });

  test('a bot that starts on it upgrades it', async () => {
    const { server } = await oldRedis();
    const opening = { ...OPENING, url: server.url, dataDir: tempFolder(), allowVolatile: false };
    const store = await openRedisStore(opening);
    whenOver(() => store.close());
    expect(await store.ledger.find('sent')).toEqual(answers.sends.sent.record);
    await store.ledger.recover();
    expect(await store.ledger.chunks('sending')).toMatchObject([{ state: 'unknown', account: 'a4' }]);
  });

  test('cut short at any command, no bot works on half of it, and it begins again', async () => {
    const { client, ask, expectUpgraded } = await oldRedis();
    const given = options();
    for (let cut = 0; ; cut += 1) {
      const done = await findUpgradedEpoch(breaking(client, cut), given).catch(() => undefined);
      if (done !== undefined) return await expectUpgraded(done);
      const format = Number(await ask('GET', `${prefix}format`));
      const isBegun = (await ask('GET', `${prefix}epoch`)) !== firstEpoch();
      // The version before sees a format above its own, or at least another epoch.
      expect(format === 1 && isBegun).toBe(false);
      expect(format).toBeLessThan(REDIS_FORMAT);
      await ask('DEL', `${prefix}upgrading`);
    }
  });

  test('while one bot upgrades it, another says so', async () => {
    const { client, ask } = await oldRedis();
    await ask('SET', `${prefix}upgrading`, '1');
    const refused = findUpgradedEpoch(client, options());
    await expect(refused).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringMatching(/^Another bot is upgrading the data in Redis/),
    });
    expect(await ask('GET', `${prefix}epoch`)).toBe(firstEpoch());
  });

  test('bots that worked on it before do nothing any more, and say why', async () => {
    const { client } = await oldRedis();
    const begun = createRedisEngine({ client, prefix, epoch: firstEpoch() });
    await begun.read([], []);
    await findUpgradedEpoch(client, options());
    await expect(begun.read([], [])).rejects.toMatchObject({
      code: 'upgraded',
      message: expect.stringMatching(/^The store was upgraded by a newer version .*: start that version\.$/),
    });
  });

  test('a bot that was stopped while it upgraded does no harm once another has done it', async () => {
    const { ask, expectUpgraded, client } = await oldRedis();
    let waiting: (() => void) | undefined;
    const stopped = new Promise<void>((resolve) => {
      waiting = resolve;
    });
    let goOn: (() => void) | undefined;
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const slow: RedisClient = {
      async sendCommand(...command) {
        if (command[0][0] === 'HGETALL') {
          waiting?.();
          await held;
        }
        return client.sendCommand(...command);
      },
    };
    const first = findUpgradedEpoch(slow, options());
    await stopped;
    await ask('DEL', `${prefix}upgrading`);
    const epoch = await findUpgradedEpoch(client, options());
    goOn?.();
    await expect(first).rejects.toMatchObject({ code: 'unusable' });
    await expectUpgraded(epoch);
  });

  test('a bot that has upgraded it does nothing on a replica that is still half rewritten', async ({
    expect: expected,
  }) => {
    const { server, ask, client } = await oldRedis();
    let copy: string | undefined;
    const watching: RedisClient = {
      async sendCommand(...command) {
        // The replica misses the last commands.
        if (command[0].includes(`${prefix}format`)) copy = server.copy();
        return client.sendCommand(...command);
      },
    };
    const epoch = await findUpgradedEpoch(watching, options());
    const engine = createRedisEngine({ client, prefix, epoch });
    await engine.read([], []);
    await server.putBack(copy ?? '');
    await expected.poll(() => engine.read([], []).catch((error) => error.code)).toBe('upgraded');
    expect(Number(await ask('GET', `${prefix}format`))).toBeLessThan(REDIS_FORMAT);
  });

  test('an operator’s command leaves it to a bot', async () => {
    const { client, ask } = await oldRedis();
    const refused = findUpgradedEpoch(client, { ...options(), refuseOld: true });
    await expect(refused).rejects.toThrow(
      /is of an older version of Switchboard: stop its bots, start one of/,
    );
    expect(await ask('GET', `${prefix}epoch`)).toBe(firstEpoch());
  });

  test('an installation that has seen another store does not upgrade this one', async () => {
    const { client, ask } = await oldRedis();
    const given = options();
    writeFileSync(join(given.dataDir, 'redis-epoch'), 'another\n');
    await expect(findUpgradedEpoch(client, given)).rejects.toThrow(/names another store/);
    expect(await ask('GET', `${prefix}format`)).toBe('1');
  });

  test('a copy from before the upgrade that is put back is taken, and upgraded', async () => {
    const { client, fill, expectUpgraded } = await oldRedis();
    const given = options();
    await findUpgradedEpoch(client, given);
    await fill();
    await expectUpgraded(await findUpgradedEpoch(client, given));
  });

  function firstEpoch(): string {
    const commands = JSON.parse(old('redis-1.json')) as string[][];
    return commands.find(([, key]) => key === `${prefix}epoch`)?.[2] ?? '';
  }

  /** A client that fails from its `after`th command on. */
  function breaking(client: RedisClient, after: number): RedisClient {
    let left = after;
    return {
      async sendCommand(...command) {
        left -= 1;
        if (left < 0) throw new Error('cut short');
        return client.sendCommand(...command);
      },
    };
  }
});
