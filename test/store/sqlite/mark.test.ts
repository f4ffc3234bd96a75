import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { createMark, refuseMark } from '../../../src/store/sqlite/mark.ts';
import { type Database, openDatabase } from '../../../src/store/sqlite/open.ts';
import { tempFolder } from '../../helpers/ledger-files.ts';

/** A folder with a database, and what a bot does there. */
function aFolder() {
  const folder = tempFolder();
  const file = join(folder, 'switchboard.db');
  const mark = join(folder, 'switchboard.mark');
  let db: Database;
  const open = () => {
    db = openDatabase(folder);
    db.raw.exec('PRAGMA busy_timeout=0');
    const opened = db;
    onTestFinished(() => {
      if (opened.raw.isOpen) opened.close();
    });
    return createMark(db, mark);
  };
  return {
    file,
    mark,
    open,
    change: () => db.raw.exec('CREATE TABLE IF NOT EXISTS work (id INTEGER); INSERT INTO work VALUES (1)'),
    async copy() {
      const copy = join(tempFolder(), 'copy.db');
      await backup(db.raw, copy);
      return copy;
    },
    /** The next start, after this copy was put back. */
    startOn(copy?: string) {
      if (db.raw.isOpen) db.close();
      if (copy) copyFileSync(copy, file);
      return open().isOldCopy;
    },
  };
}

test('a new database is no old copy, nor is one whose bot has ended in order', async () => {
  const { open, change, startOn } = aFolder();
  const { isOldCopy, renew } = open();
  expect(isOldCopy).toBe(false);
  change();
  await renew();
  expect(startOn()).toBe(false);
});

test('a copy from before the last change that was noted is one, also of the same run', async () => {
  const { open, change, copy, startOn } = aFolder();
  const { renew } = open();
  const first = await copy();
  change();
  await renew();
  const second = await copy();
  change();
  await renew();
  const third = await copy();
  expect(startOn(third)).toBe(false);
  expect(startOn(second)).toBe(true);
  expect(startOn(first)).toBe(true);
});

test('a bot that died after its last change has no old copy', async () => {
  const { open, change, startOn } = aFolder();
  const { renew } = open();
  change();
  await renew();
  change();
  expect(startOn()).toBe(false);
});

test('nor has one that died while it changed the mark: the commit failed', async () => {
  const { open, change, startOn, file } = aFolder();
  const { renew } = open();
  change();
  await renew();
  change();
  const other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  await expect(renew()).rejects.toThrow('lock');
  other.close();
  expect(startOn()).toBe(false);
});

test('nor has one that died while it changed the mark, before or after the commit', async () => {
  const { open, change, copy, startOn, mark } = aFolder();
  const { renew } = open();
  change();
  await renew();
  const before = await copy();
  const [old = ''] = readFileSync(mark, 'utf8').split(/\s+/);
  change();
  await renew();
  const after = await copy();
  const [next = ''] = readFileSync(mark, 'utf8').split(/\s+/);
  for (const each of [before, after]) {
    writeFileSync(mark, `${old} ${next}\n`);
    expect(startOn(each)).toBe(false);
  }
});

test('a database that was moved to Redis is an old copy', async () => {
  const { open, startOn, mark } = aFolder();
  await open().renew();
  await refuseMark(mark);
  expect(startOn()).toBe(true);
});

test('without a file, or with an empty one, nobody can tell', async () => {
  const { open, change, copy, startOn, mark } = aFolder();
  const { renew } = open();
  const first = await copy();
  change();
  await renew();
  writeFileSync(mark, '');
  expect(startOn(first)).toBe(false);
});

test('an idle bot leaves the file alone', async () => {
  const { open, change, mark } = aFolder();
  const { renew } = open();
  change();
  await renew();
  const noted = readFileSync(mark, 'utf8');
  await renew();
  expect(readFileSync(mark, 'utf8')).toBe(noted);
});
