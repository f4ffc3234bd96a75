import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createInstallations } from '../../../src/core/workspaces/installations.ts';
import type { Tokens } from '../../../src/core/workspaces/tokens.ts';
import type { OpenStore } from '../../../src/data/data.ts';
import { openStore } from '../../../src/data/embedded.ts';
import { openRedisStore } from '../../../src/data/shared.ts';
import type { Installation } from '../../../src/records/schema.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { type Boot, boot, createCoreWorld } from '../../helpers/core-world.ts';
import { openRecords } from '../../helpers/open-records.ts';
import { startRedisPair } from '../../helpers/redis-pair.ts';
import { withoutRedis } from '../../helpers/redis-server.ts';

const HOUR_MS = 3_600_000;

/** What this test's Slack says, and which requests it got. */
interface FakeSlack {
  asked: string[];
  answer(token: string): Promise<Tokens>;
  /** The workspaces that each bot token may act in; undefined while Slack can't be reached. */
  workspaces?: { [token: string]: string[] } | undefined;
  /** How often the bot asked for a token's workspaces. */
  listed: number;
}

/** The installations of one process. */
function open(booted: Boot, slack: FakeSlack) {
  return createInstallations({
    ...booted,
    clock: booted.time.clock,
    refresh(token) {
      slack.asked.push(token);
      return slack.answer(token);
    },
    async workspacesOf(token) {
      slack.listed += 1;
      if (!slack.workspaces) throw new Error('Slack is out of reach');
      return new Set(slack.workspaces[token]);
    },
  });
}

function aTeam(tokens: Tokens, over: { id?: string; isOrgWide?: boolean } = {}) {
  return { id: 'T1', isOrgWide: false, name: 'One', botUserId: 'U-bot', tokens, ...over };
}

/** Two processes on one store, and a Slack that answers only when the test lets it. */
async function twoProcesses() {
  const world = await createCoreWorld();
  const booted = await boot(world);
  const waiting = Promise.withResolvers<Tokens>();
  const workspaces = { 'xoxb-org': ['T7', 'T8'] };
  const slack: FakeSlack = { asked: [], listed: 0, answer: () => waiting.promise, workspaces };
  return {
    world,
    booted,
    slack,
    answer: waiting.resolve,
    one: open(booted, slack),
    other: open(booted, slack),
  };
}

test('a token that does not expire is used as it is; if nobody installed there is none', async () => {
  const { one, slack } = await twoProcesses();
  await one.save(aTeam({ bot: 'xoxb-1' }));
  expect(await one.at({ team: 'T1' })).toEqual({ team: 'T1', botToken: 'xoxb-1' });
  expect(await one.of('T1')).toEqual({ team: 'T1', botToken: 'xoxb-1' });
  expect(await one.at({ team: 'T2' })).toBeUndefined();
  expect(await one.at({ team: 'T1', enterprise: 'E1' })).toBeUndefined();
  expect(slack.asked).toEqual([]);
});

test('an installation is saved with its workspace, or not at all', async () => {
  const { one, booted, world } = await twoProcesses();
  const db = new DatabaseSync(join(world.folder, 'switchboard.db'));
  onTestFinished(() => db.close());
  db.exec(
    `CREATE TRIGGER fails BEFORE INSERT ON kv WHEN NEW.namespace = 'workspaces' BEGIN SELECT RAISE(ABORT, 'cut'); END`,
  );
  await expect(one.save(aTeam({ bot: 'xoxb-1' }))).rejects.toThrow('cut');
  expect(await one.at({ team: 'T1' })).toBeUndefined();
  db.exec('DROP TRIGGER fails');
  await one.save(aTeam({ bot: 'xoxb-1' }));
  expect(await booted.records.workspaces.get('T1')).toMatchObject({ name: 'One' });
});

test('an expired token is exchanged once, however many ask in however many processes', async () => {
  const { one, other, booted, slack, answer } = await twoProcesses();
  const now = booted.ledger.now();
  await one.save(aTeam({ bot: 'xoxb-old', refresh: 'refresh-1', expiresAt: now - 1 }));
  const asking = [one, other, one, other, other].map((process) => process.at({ team: 'T1' }));
  answer({ bot: 'xoxb-new', refresh: 'refresh-2', expiresAt: now + 12 * HOUR_MS });
  const tokens = (await Promise.all(asking)).map((acting) => acting?.botToken);
  expect(tokens).toEqual(Array.from({ length: 5 }, () => 'xoxb-new'));
  expect(slack.asked).toEqual(['refresh-1']);
  expect((await other.at({ team: 'T1' }))?.botToken).toBe('xoxb-new');
});

test('a token that expires soon serves on while it is exchanged, and nobody waits', async () => {
  const { one, other, booted, slack, answer } = await twoProcesses();
  const now = booted.ledger.now();
  await one.save(aTeam({ bot: 'xoxb-old', refresh: 'refresh-1', expiresAt: now + HOUR_MS }));
  for (const process of [one, other, one]) {
    expect((await process.at({ team: 'T1' }))?.botToken).toBe('xoxb-old');
  }
  expect(slack.asked).toEqual(['refresh-1']);
  answer({ bot: 'xoxb-new', refresh: 'refresh-2', expiresAt: now + 12 * HOUR_MS });
  await expect.poll(async () => (await other.at({ team: 'T1' }))?.botToken).toBe('xoxb-new');
  expect(slack.asked).toEqual(['refresh-1']);
});

test('Slack refuses to exchange: the log says so, the bot tries again only after a while, and the old token serves on', async () => {
  const { one, booted, slack } = await twoProcesses();
  slack.answer = () => Promise.reject(new Error('invalid_refresh_token'));
  const expiresAt = booted.ledger.now() + HOUR_MS;
  await one.save(aTeam({ bot: 'xoxb-old', refresh: 'refresh-1', expiresAt }));
  for (let times = 0; times < 3; times += 1) {
    expect((await one.at({ team: 'T1' }))?.botToken).toBe('xoxb-old');
  }
  expect(slack.asked).toHaveLength(1);
  await expect.poll(() => booted.logged()).toContain('a token could not be exchanged');
});

test('an installation that was removed or made again while its token was exchanged stays so', async () => {
  const { one, booted, slack, answer } = await twoProcesses();
  const { installations } = booted.records;
  const now = Math.round(booted.ledger.now());
  await one.save(aTeam({ bot: 'xoxb-old', refresh: 'refresh-1', expiresAt: now - 1 }));
  const asking = one.at({ team: 'T1' });
  await expect.poll(() => slack.asked).toHaveLength(1);
  await one.save(aTeam({ bot: 'xoxb-anew' }));
  answer({ bot: 'xoxb-late', refresh: 'refresh-2', expiresAt: now + 12 * HOUR_MS });
  await asking;
  expect((await one.at({ team: 'T1' }))?.botToken).toBe('xoxb-anew');
  const stands = await installations.get('T1');
  if (stands) await installations.set('T1', { ...stands, removedAt: now });
  expect(await one.at({ team: 'T1' })).toBeUndefined();
});

describe('a token that was exchanged', () => {
  /** A running bot, and another program that can lock its database. */
  async function start(answer: (lock: DatabaseSync) => Promise<Tokens> | Tokens) {
    const world = await createCoreWorld();
    const { folder, limits, time, log } = world;
    const store = await openStore({
      dataDir: folder,
      encryptionKeys: [randomBytes(32)],
      limits,
      onDamaged(error) {
        throw error;
      },
    });
    const lock = new DatabaseSync(join(folder, 'switchboard.db'));
    onTestFinished(() => {
      lock.close();
      store.close();
    });
    const asked: string[] = [];
    const open = () =>
      createInstallations({
        ...store,
        clock: time.clock,
        log,
        async refresh(token) {
          asked.push(token);
          return answer(lock);
        },
        workspacesOf: async () => new Set(),
      });
    const one = open();
    const now = Math.round(store.ledger.now());
    await one.save(aTeam({ bot: 'xoxb-old', refresh: 'refresh-1', expiresAt: now - 1 }));
    const tokens = { bot: 'xoxb-new', refresh: 'refresh-2', expiresAt: now + 12 * HOUR_MS };
    return { ...world, store, lock, asked, one, another: open, tokens };
  }

  test('is used and written again until that works, if the store refuses to keep it', async () => {
    const rig = await start((lock) => {
      lock.exec('BEGIN IMMEDIATE');
      return rig.tokens;
    });
    const { one, another, asked, lock } = rig;
    expect((await one.at({ team: 'T1' }))?.botToken).toBe('xoxb-new');
    await expect.poll(() => rig.logged()).toContain('could not save a new Slack token');
    expect((await one.at({ team: 'T1' }))?.botToken).toBe('xoxb-new');
    lock.exec('ROLLBACK');
    await expect
      .poll(() => rig.store.records.installations.get('T1').then((found) => opened(rig.store, found)))
      .toEqual(rig.tokens);
    expect((await another().at({ team: 'T1' }))?.botToken).toBe('xoxb-new');
    expect(asked).toEqual(['refresh-1']);
    expect(rig.logged()).not.toMatch(/xoxb-|refresh-/);
  });

  test('is written before the bot has stopped', async () => {
    const answer = Promise.withResolvers<Tokens>();
    const rig = await start(() => answer.promise);
    const asking = rig.one.at({ team: 'T1' });
    await expect.poll(() => rig.asked).toEqual(['refresh-1']);
    const stopped = rig.one.stop();
    answer.resolve(rig.tokens);
    await Promise.all([asking, stopped]);
    expect(opened(rig.store, await rig.store.records.installations.get('T1'))).toEqual(rig.tokens);
  });

  test('is written if the one before it was sealed again meanwhile', async () => {
    const rig = await start(async () => {
      const found = await rig.store.records.installations.get('T1');
      if (!found) throw new Error('it is not there');
      const sealedTokens = rig.store.cipher.seal(
        JSON.stringify(opened(rig.store, found)),
        'installations/T1',
      );
      await rig.store.records.installations.set('T1', { ...found, sealedTokens });
      return rig.tokens;
    });
    await rig.one.at({ team: 'T1' });
    await rig.one.stop();
    expect(opened(rig.store, await rig.store.records.installations.get('T1'))).toEqual(rig.tokens);
  });
});

test.skipIf(withoutRedis)('a token that was exchanged outlives a Redis that forgets it', async () => {
  const pair = await startRedisPair();
  onTestFinished(() => pair.close());
  const { folder, limits, time, log } = await createCoreWorld();
  const store = await openRedisStore({
    url: pair.url,
    allowVolatile: false,
    dataDir: folder,
    encryptionKeys: [randomBytes(32)],
    limits,
    onDamaged() {},
  });
  onTestFinished(store.close);
  const now = Math.round(store.ledger.now());
  const tokens = { bot: 'xoxb-new', refresh: 'refresh-2', expiresAt: now + 12 * HOUR_MS };
  const asked: string[] = [];
  const open = () =>
    createInstallations({
      ...store,
      clock: time.clock,
      log,
      async refresh(token) {
        asked.push(token);
        return tokens;
      },
      workspacesOf: async () => new Set(),
    });
  const one = open();
  const storedTokens = () =>
    store.records.installations.get('T1').then(
      (found) => opened(store, found),
      () => undefined,
    );
  const before = { bot: 'xoxb-old', refresh: 'refresh-1', expiresAt: now + HOUR_MS };
  await one.save(aTeam(before));
  await pair.cutOff();
  await one.at({ team: 'T1' });
  await expect.poll(storedTokens).toEqual(tokens);
  await pair.failOver();
  await expect.poll(storedTokens).toEqual(before);
  await expect.poll(async () => (await one.at({ team: 'T1' }))?.botToken).toBe('xoxb-new');
  await expect.poll(storedTokens).toEqual(tokens);
  expect((await open().at({ team: 'T1' }))?.botToken).toBe('xoxb-new');
  expect(asked).toEqual(['refresh-1']);
});

function opened({ cipher }: OpenStore, installation: Installation | undefined): unknown {
  return installation && JSON.parse(cipher.open(installation.sealedTokens, 'installations/T1'));
}

test('tokens are sealed for their own record', async () => {
  const { one, booted } = await twoProcesses();
  const { installations } = booted.records;
  await one.save(aTeam({ bot: 'xoxb-1' }));
  await one.save(aTeam({ bot: 'xoxb-2' }, { id: 'T2' }));
  const [mine, theirs] = [await installations.get('T1'), await installations.get('T2')];
  if (!mine || !theirs) throw new Error('there are two');
  expect(JSON.stringify([mine, theirs])).not.toContain('xoxb-');
  await installations.set('T1', { ...mine, sealedTokens: theirs.sealedTokens });
  await expect(one.at({ team: 'T1' })).rejects.toThrow('copied from another record');
});

test('a workspace whose record is damaged is served again once it installs the bot again', async () => {
  const world = await createCoreWorld();
  const booted = await boot(world);
  const db = openDatabase(world.folder);
  onTestFinished(() => db.close());
  const records = openRecords(db, booted.cipher);
  const installations = open(
    { ...booted, records },
    { asked: [], listed: 0, answer: () => Promise.reject(new Error('nobody asks')) },
  );
  await installations.save(aTeam({ bot: 'xoxb-1' }));
  db.sql("UPDATE kv SET value = '{}' WHERE namespace = 'workspaces'").run();
  await expect(installations.meet({ team: 'T1' })).rejects.toThrow(/damaged/);
  await installations.save(aTeam({ bot: 'xoxb-2' }));
  await installations.meet({ team: 'T1' });
  expect(await installations.of('T1')).toEqual({ team: 'T1', botToken: 'xoxb-2' });
});

test('an organisation’s installation serves the workspaces that were met in it, without the way there', async () => {
  const { one } = await twoProcesses();
  await one.save(aTeam({ bot: 'xoxb-org' }, { id: 'E1', isOrgWide: true }));
  const place = { team: 'T7', enterprise: 'E1' };
  expect(await one.of('T7')).toBeUndefined();
  expect(await one.at(place)).toEqual({ ...place, botToken: 'xoxb-org' });
  await one.meet(place);
  expect(await one.of('T7')).toEqual({ ...place, botToken: 'xoxb-org' });
  await one.save(aTeam({ bot: 'xoxb-own' }, { id: 'T7' }));
  expect(await one.of('T7')).toEqual({ team: 'T7', botToken: 'xoxb-own' });
});

test('a workspace that an organisation has taken away is not served until it was forgotten and the bot meets it again', async () => {
  const { one, booted } = await twoProcesses();
  await one.save(aTeam({ bot: 'xoxb-org' }, { id: 'E1', isOrgWide: true }));
  const place = { team: 'T7', enterprise: 'E1' };
  await one.meet(place);
  const known = await booted.records.workspaces.get('T7');
  if (!known) throw new Error('it was not met');
  await booted.records.workspaces.set('T7', { ...known, removedAt: 1500 });
  expect(await one.at(place)).toBeUndefined();
  expect(await one.of('T7')).toBeUndefined();
  expect(await one.at({ ...place, team: 'T8' })).toMatchObject({ botToken: 'xoxb-org' });
  await booted.records.workspaces.delete('T7');
  expect(await one.at(place)).toMatchObject({ botToken: 'xoxb-org' });
});

test('a workspace that is being forgotten is not known again because of a person’s click there', async () => {
  const { one, booted } = await twoProcesses();
  const { installations, workspaces } = booted.records;
  await one.save(aTeam({ bot: 'xoxb-org' }, { id: 'E1', isOrgWide: true }));
  await one.save(aTeam({ bot: 'xoxb-own' }, { id: 'T6' }));
  const places = [{ team: 'T7', enterprise: 'E1' }, { team: 'T6' }];
  await workspaces.delete('T6');
  for (const id of ['E1', 'T6']) {
    const found = await installations.get(id);
    if (found) await installations.set(id, { ...found, removedAt: 2000 });
  }
  for (const place of places) await one.meet(place);
  for (const id of ['E1', 'T6']) await installations.delete(id);
  for (const place of places) await one.meet(place);
  expect(await workspaces.getMany(['T6', 'T7'])).toEqual([]);
});

test('a workspace with its own installation is not taken over by an organisation whose buttons its people press', async () => {
  const { one, booted, slack } = await twoProcesses();
  slack.workspaces = { 'xoxb-ea': ['TA'], 'xoxb-eb': ['TB'] };
  await one.save(aTeam({ bot: 'xoxb-ea' }, { id: 'EA', isOrgWide: true }));
  await one.save(aTeam({ bot: 'xoxb-eb' }, { id: 'EB', isOrgWide: true }));
  await one.save(aTeam({ bot: 'xoxb-own' }, { id: 'TC' }));
  await one.meet({ team: 'TB', enterprise: 'EB' });
  for (const team of ['TB', 'TC']) await one.meet({ team, enterprise: 'EA' });
  expect(await one.of('TB')).toMatchObject({ botToken: 'xoxb-eb' });
  expect(await one.of('TC')).toMatchObject({ botToken: 'xoxb-own' });
  await booted.records.installations.delete('EB');
  slack.workspaces = { 'xoxb-ea': ['TA', 'TB'] };
  await one.meet({ team: 'TB', enterprise: 'EA' });
  expect(await one.of('TB')).toMatchObject({ botToken: 'xoxb-ea' });
});

test('nor if they press before their own organisation installs the bot', async () => {
  const { one, booted, slack } = await twoProcesses();
  slack.workspaces = { 'xoxb-ea': ['TA'], 'xoxb-eb': ['TB'] };
  await one.save(aTeam({ bot: 'xoxb-ea' }, { id: 'EA', isOrgWide: true }));
  await one.meet({ team: 'TB', enterprise: 'EA' });
  expect(await one.of('TB')).toBeUndefined();
  await one.save(aTeam({ bot: 'xoxb-eb' }, { id: 'EB', isOrgWide: true }));
  await one.meet({ team: 'TB', enterprise: 'EB' });
  await one.meet({ team: 'TB', enterprise: 'EA' });
  expect(await one.of('TB')).toMatchObject({ botToken: 'xoxb-eb' });
  // The record as a bot writes it that did not ask Slack.
  const known = await booted.records.workspaces.get('TB');
  if (known) await booted.records.workspaces.set('TB', { ...known, enterprise: 'EA' });
  await one.meet({ team: 'TB', enterprise: 'EB' });
  expect(await one.of('TB')).toMatchObject({ botToken: 'xoxb-eb' });
});

test('Slack is asked once for many workspaces of an organisation, and again for one that it did not name', async () => {
  const { one, slack } = await twoProcesses();
  await one.save(aTeam({ bot: 'xoxb-org' }, { id: 'E1', isOrgWide: true }));
  await Promise.all(['T7', 'T8', 'T7'].map((team) => one.meet({ team, enterprise: 'E1' })));
  expect(slack.listed).toBe(1);
  slack.workspaces = { 'xoxb-org': ['T7', 'T8', 'T9'] };
  await one.meet({ team: 'T9', enterprise: 'E1' });
  expect(slack.listed).toBe(2);
  expect(await one.of('T9')).toMatchObject({ botToken: 'xoxb-org' });
});

test('as long as Slack can’t say whether an organisation covers a workspace, it is not known', async () => {
  const { one, slack } = await twoProcesses();
  await one.save(aTeam({ bot: 'xoxb-org' }, { id: 'E1', isOrgWide: true }));
  slack.workspaces = undefined;
  const place = { team: 'T7', enterprise: 'E1' };
  await expect(one.meet(place)).rejects.toThrow('Slack is out of reach');
  expect(await one.of('T7')).toBeUndefined();
  slack.workspaces = { 'xoxb-org': ['T7'] };
  await one.meet(place);
  slack.workspaces = undefined;
  await one.meet(place);
  expect(await one.of('T7')).toMatchObject({ botToken: 'xoxb-org' });
});
