import { readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openForCommand, openStore } from '../../../src/data/embedded.ts';
import { repeatMarks } from '../../../src/ledger/model/once.ts';
import { createCipher } from '../../../src/records/encryption.ts';
import { explainStart } from '../../../src/start-error.ts';
import { createSqliteEngine } from '../../../src/store/sqlite/engine.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { createSteps } from '../../../src/store/steps.ts';
import { tempFolder } from '../../helpers/ledger-files.ts';
import { aSingle, LIMITS } from '../../helpers/ledger-fixtures.ts';
import { openRecords } from '../../helpers/open-records.ts';

/** The bot's store, and another program that holds the database's lock. */
async function lockedStore() {
  const dataDir = tempFolder();
  const store = await openStore({
    dataDir,
    encryptionKeys: [Buffer.alloc(32, 7)],
    limits: LIMITS,
    onDamaged: (error) => expect.unreachable(error.message),
  });
  const other = new DatabaseSync(`${dataDir}/switchboard.db`);
  other.exec('BEGIN IMMEDIATE');
  onTestFinished(() => {
    other.close();
    store.close();
  });
  return { store, other };
}

const cipher = createCipher([Buffer.alloc(32, 7)]);
const workspace = { team: 'T1', name: 'Acme', botUserId: 'U0', firstSeenAt: 1 };

describe('a database that another program has locked', () => {
  test('refuses a bot and a command that start, in one sentence', async () => {
    const dataDir = tempFolder();
    const options = { dataDir, encryptionKeys: [Buffer.alloc(32)], limits: LIMITS, onDamaged: () => {} };
    (await openStore(options)).close();
    const other = new DatabaseSync(`${dataDir}/switchboard.db`);
    onTestFinished(() => other.close());
    other.exec('BEGIN EXCLUSIVE');
    for (const open of [openStore, openForCommand]) {
      await expect(open(options)).rejects.toMatchObject({
        code: 'locked',
        message: expect.stringMatching(
          /^\S+switchboard\.db can't be used, since another program holds its lock: end that program, or wait for it, and try again\.$/,
        ),
      });
    }
  });

  test('is waited for, and the event loop goes on meanwhile', async () => {
    const { store, other } = await lockedStore();
    const drafted = store.ledger.draft(aSingle('s1'));
    const kept = store.records.workspaces.set('T1', workspace);
    let turns = 0;
    for (; turns < 10; turns += 1) await sleep(5);
    expect(await Promise.race([drafted.then(() => 'done'), 'waits'])).toBe('waits');
    other.exec('COMMIT');
    await Promise.all([drafted, kept]);
    expect(await store.ledger.find('s1')).toMatchObject({ state: 'draft' });
    expect(await store.records.workspaces.get('T1')).toEqual(workspace);
  });

  test('is reported as out of reach when that takes too long; nothing was done', async () => {
    const { store, other } = await lockedStore();
    const trouble = {
      name: 'StoreTroubleError',
      code: 'refused',
      message: "The database can't be used: another program holds its lock.",
    };
    await Promise.all([
      expect(store.ledger.draft(aSingle('s1'))).rejects.toMatchObject(trouble),
      expect(store.records.workspaces.set('T1', workspace)).rejects.toMatchObject(trouble),
      expect(store.records.workspaces.delete('T1')).rejects.toMatchObject(trouble),
    ]);
    other.exec('COMMIT');
    expect(await store.ledger.find('s1')).toBeUndefined();
    expect(await store.records.workspaces.get('T1')).toBeUndefined();
  });

  test('the last of several writes wins, whichever is tried first when the lock is free', async () => {
    const { store, other } = await lockedStore();
    const names = Array.from({ length: 20 }, (_, at) => `name ${at}`);
    const written: Promise<void>[] = [];
    for (const name of names) {
      written.push(store.records.workspaces.set('T1', { ...workspace, name }));
      await sleep(3);
    }
    other.exec('COMMIT');
    await Promise.all(written);
    expect((await store.records.workspaces.get('T1'))?.name).toBe(names.at(-1));
  });

  test('an error that is no trouble with the file stays what it is', async () => {
    const { store, other } = await lockedStore();
    other.exec('COMMIT');
    await store.ledger.draft(aSingle('s1'));
    other.exec('DROP TABLE d_sends');
    await expect(store.ledger.find('s1')).rejects.toThrow(/^no such table/);
  });
});

test('a database that is damaged while the bot runs is reported as out of reach, by the ledger’s steps and by records', async () => {
  const dataDir = tempFolder();
  const file = `${dataDir}/switchboard.db`;
  const filled = openDatabase(dataDir);
  const steps = createSteps(createSqliteEngine(filled));
  for (let at = 0; at < 50; at += 1)
    await steps.run((view) => view.put(repeatMarks, `m${at}`, { until: at }));
  await openRecords(filled, cipher).workspaces.set('T1', workspace);
  filled.close();
  writeFileSync(file, readFileSync(file).fill(255, 4096));

  const db = openDatabase(dataDir);
  onTestFinished(() => db.close());
  const { workspaces } = openRecords(db, cipher);
  const damaged = createSteps(createSqliteEngine(db));
  const trouble = {
    name: 'StoreTroubleError',
    code: 'refused',
    message: "The database can't be used: it is damaged.",
    cause: { errstr: 'database disk image is malformed' },
  };
  await expect(damaged.run((view) => view.get(repeatMarks, 'm1'))).rejects.toMatchObject(trouble);
  await expect(workspaces.get('T1')).rejects.toMatchObject(trouble);
  await expect(workspaces.list()).rejects.toMatchObject(trouble);
  const caught = await workspaces.set('T1', workspace).catch((error: unknown) => error);
  expect(caught).toMatchObject(trouble);
  expect(explainStart(caught)).toMatch(/^The database is damaged \(database disk image is malformed\): /);
});
