import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSqliteEngine } from '../../src/store/sqlite/engine.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import type { Change } from '../../src/store/store.ts';
import { engineContract, newVersion, type OpenEngine } from './engine.contract.ts';
import { engineModel } from './engine.model.ts';
import { tempFolder } from './helpers/temp-folder.ts';

const open: OpenEngine = async (clock) => {
  const db = openDatabase(tempFolder());
  const engine = createSqliteEngine(db, clock.now);
  return { engine, join: async () => engine, close: async () => db.close() };
};

engineContract('SQLite', open);
engineModel('SQLite', open);

/** An engine with a clock of its own, and another program on the same file. */
function start() {
  const folder = tempFolder();
  const db = openDatabase(folder);
  const engine = createSqliteEngine(db);
  const other = new DatabaseSync(`${folder}/switchboard.db`);
  onTestFinished(() => {
    other.close();
    db.close();
  });
  return { folder, db, engine, other };
}

const A = { collection: 'send', id: 'a' };

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

describe('a file that another program has locked', () => {
  test('is waited for, and the event loop goes on meanwhile', async () => {
    const { engine, other } = start();
    other.exec('BEGIN IMMEDIATE');
    const written = engine.commit(writing(engine.now()), performance.now() + 20_000);
    for (let turns = 0; turns < 10; turns += 1) await sleep(5);
    expect(await Promise.race([written.then(() => 'done'), 'waits'])).toBe('waits');
    other.exec('COMMIT');
    expect(await written).toMatchObject({ outcome: 'ok' });
    expect((await engine.read([A], [])).documents).toMatchObject([{ text: '{}' }]);
  });

  test('is given up when its caller gives up; nothing was written', async () => {
    const { engine, other } = start();
    await engine.read([A], []);
    other.exec('BEGIN IMMEDIATE');
    const trouble = {
      name: 'StoreTroubleError',
      code: 'refused',
      message: "The database can't be used: another program holds its lock.",
    };
    const asked = performance.now();
    await expect(engine.commit(writing(engine.now()), asked + 50)).rejects.toMatchObject(trouble);
    await expect(engine.commit(writing(engine.now()))).rejects.toMatchObject(trouble);
    other.exec('COMMIT');
    expect((await engine.read([A], [])).documents).toEqual([undefined]);
  });

  test('can still be read', async () => {
    const { engine, other } = start();
    await engine.commit(writing(engine.now()));
    other.exec('BEGIN IMMEDIATE');
    expect((await engine.read([A], [])).documents).toMatchObject([{ text: '{}' }]);
  });
});

describe('the file', () => {
  test('keeps what was written when it is opened again', async () => {
    const { folder, engine } = start();
    const entry = { collection: 'send', index: 'work', key: 'k', id: 'a' };
    await engine.commit(writing(engine.now(), { entries: { added: [entry], removed: [] } }));
    const range = { collection: 'send', index: 'work', from: '', to: '~' };
    const before = await engine.read([A], [range]);
    const again = openDatabase(folder);
    onTestFinished(() => again.close());
    const { documents, ranges } = await createSqliteEngine(again).read([A], [range]);
    expect({ documents, ranges }).toEqual({ documents: before.documents, ranges: before.ranges });
    expect(documents).toMatchObject([{ text: '{}' }]);
  });

  test('is synced at each commit but those that need not be, and after those again', async () => {
    const { db, engine } = start();
    const levels: unknown[] = [];
    // SQLite calls this within the transaction.
    db.raw.function('level', () => {
      levels.push(db.raw.prepare('PRAGMA synchronous').get()?.synchronous);
      return 1;
    });
    await engine.read([A], []);
    db.raw.exec('CREATE TEMP TRIGGER watch AFTER INSERT ON "d_send" BEGIN SELECT level(); END');
    await engine.commit(writing(engine.now()));
    await engine.commit(writing(engine.now(), { isSynced: false, puts: [aPut('b')] }));
    await engine.commit(writing(engine.now(), { puts: [aPut('c')] }));
    // SQLite's level 2 is FULL, 1 is NORMAL.
    expect(levels).toEqual([2, 1, 2]);
  });
});

function aPut(id: string) {
  return { address: { collection: 'send', id }, stored: { version: newVersion(), text: '{}' } };
}
