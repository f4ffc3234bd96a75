import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createLedger } from '../../src/ledger/create-ledger.ts';
import { createSteadyClock } from '../../src/store/sqlite/clock.ts';
import { createSqliteEngine } from '../../src/store/sqlite/engine.ts';
import { type Database, openDatabase } from '../../src/store/sqlite/open.ts';
import { createSteps } from '../../src/store/steps.ts';
import { dumpSqlite } from '../helpers/dump-store.ts';
import { openSqlite, tempFolder } from '../helpers/ledger-files.ts';
import {
  aJob,
  aSingle,
  confirmed,
  drain,
  forJobs,
  forSingles,
  freshToken,
  handClock,
  inFlight,
  LIMITS,
  SENT,
  states,
  taken,
  unknownSingle,
} from '../helpers/ledger-fixtures.ts';
import { ledgerContract } from './ledger.contract.ts';

ledgerContract('SQLite', openSqlite);

/** Starts on a folder, with everything as in production. */
async function boot(folder: string, now: () => number) {
  const db = openDatabase(folder);
  onTestFinished(() => {
    if (db.raw.isOpen) db.close();
  });
  const ledger = createLedger(createSteps(createSqliteEngine(db, now)), LIMITS);
  await ledger.takeOver();
  return { db, ledger };
}

/** Lets the database grow no further. SQLite then answers as on a full disk. */
function fillDisk({ raw }: Database): void {
  raw.exec('CREATE TABLE filler (text TEXT)');
  const { page_count: pages } = raw.prepare('PRAGMA page_count').get() as { page_count: number };
  raw.exec(`PRAGMA max_page_count=${pages}`);
  const fill = raw.prepare('INSERT INTO filler (text) VALUES (?)');
  for (const length of [900, 1]) {
    expect(() => {
      for (;;) fill.run(`${freshToken()}-${'x'.repeat(length)}`);
    }).toThrow(/full/);
  }
}

const FULL = "The database can't be used: the disk is full.";

describe('SQLite alone', () => {
  test('an intent is in the file when take returns, for any other reader', async () => {
    const folder = tempFolder();
    const { ledger } = await boot(folder, createSteadyClock());
    const { token } = await inFlight(ledger, 's1');
    const reader = openDatabase(folder);
    onTestFinished(() => reader.close());
    const { documents } = dumpSqlite(reader);
    const valueIn = (collection: string) => documents.find((one) => one.collection === collection)?.value;
    expect(valueIn('chunks')).toMatchObject({ state: 'sending', token });
    expect(valueIn('permits')).toMatchObject({ held: [{ token, attempt: { send: 's1', index: 0 } }] });
    expect(readFileSync(join(folder, 'switchboard.db-wal')).includes(token)).toBe(true);
  });

  test('closing and opening again changes nothing', async () => {
    const folder = tempFolder();
    const clock = handClock();
    const first = await boot(folder, clock.now);
    await unknownSingle(first.ledger, 'unknown', { topics: ['receipt'] });
    await drain(first.ledger);
    await first.ledger.draft(aSingle('draft'));
    await confirmed(first.ledger, aJob('job', [2, 2]));
    const { ref, token } = await taken(first.ledger, forJobs());
    await first.ledger.settle(ref, token, SENT);
    const before = dumpSqlite(first.db);
    first.db.close();
    const second = await boot(folder, clock.now);
    expect(dumpSqlite(second.db)).toEqual(before);
  });

  test('a full disk: take throws, and neither permit nor intent nor anything else is half done', async () => {
    const { db, ledger } = await boot(tempFolder(), handClock().now);
    await confirmed(ledger, aSingle('s1'));
    await confirmed(ledger, aJob('j1', [100, 100]));
    fillDisk(db);
    const before = dumpSqlite(db);
    // No page has room for so long a name.
    const account = 'a'.repeat(9000);
    await expect(ledger.take(forSingles({ account }))).rejects.toThrow(FULL);
    await expect(ledger.take(forJobs({ account }))).rejects.toThrow(FULL);
    await expect(ledger.draft(aJob('j2', [100, 100, 100]))).rejects.toThrow(FULL);
    expect(dumpSqlite(db)).toEqual(before);
    db.raw.exec('PRAGMA max_page_count=1000000');
    expect((await taken(ledger)).send.id).toBe('s1');
    await ledger.draft(aJob('j2', [100, 100, 100]));
  });

  test('a full disk: a settlement that was refused can be repeated with the same token', async () => {
    const { db, ledger } = await boot(tempFolder(), handClock().now);
    const { ref, token } = await inFlight(ledger, 's1', { topics: ['receipt'] });
    fillDisk(db);
    const before = dumpSqlite(db);
    const long = { ...SENT, result: { words: 'x'.repeat(9000) } } as typeof SENT;
    await expect(ledger.settle(ref, token, long)).rejects.toThrow(FULL);
    expect(dumpSqlite(db)).toEqual(before);
    expect(await states(ledger, 's1')).toEqual(['sending']);
    db.raw.exec('PRAGMA max_page_count=1000000');
    expect((await ledger.settle(ref, token, long)).settled).toBe(true);
    expect(await drain(ledger)).toEqual(['receipt:s1']);
  });

  test('the clock tells the time in milliseconds since 1970 and never runs backwards', () => {
    const clock = createSteadyClock();
    expect(Math.abs(clock() - Date.now())).toBeLessThan(60_000);
    let last = clock();
    for (let i = 0; i < 1000; i += 1) {
      const next = clock();
      expect(next).toBeGreaterThanOrEqual(last);
      last = next;
    }
  });
});
