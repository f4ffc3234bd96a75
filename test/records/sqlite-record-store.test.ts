import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createNamespace } from '../../src/records/namespace.ts';
import { createSqliteRecordStore } from '../../src/records/sqlite/record-store.ts';
import { type Database, openDatabase } from '../../src/store/sqlite/open.ts';

let folder: string;
let database: Database;

/** Records of any JSON. */
function open(name: string) {
  const records = createNamespace(z.json(), { name, store: createSqliteRecordStore(database) }, (error) => {
    throw error;
  });
  return { ...records, pages: (group?: string) => createSqliteRecordStore(database).pages(name, group) };
}

async function keysOf(pages: AsyncIterable<{ key: string }[]>): Promise<string[]> {
  const keys: string[] = [];
  for await (const page of pages) keys.push(...page.map(({ key }) => key));
  return keys;
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-records-'));
  database = openDatabase(folder);
});

afterEach(() => {
  if (database.raw.isOpen) database.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('createSqliteRecordStore', () => {
  it('keeps values of any JSON type', async () => {
    const records = open('a');
    const values = {
      text: 'ä 👍 \u0000 "',
      empty: '',
      number: 0,
      no: false,
      nothing: null,
      list: [1, { a: null }],
      colon: ':x',
    };
    for (const [key, value] of Object.entries(values)) await records.set(key, value);
    for (const [key, value] of Object.entries(values)) expect(await records.get(key)).toEqual(value);
    expect((await keysOf(records.pages())).toSorted()).toEqual(Object.keys(values).toSorted());
  });

  it('reads what is not there as undefined', async () => {
    const records = open('a');
    expect(await records.get('none')).toBeUndefined();
    await records.delete('none');
    expect(await records.get('none')).toBeUndefined();
  });

  it('overwrites and deletes', async () => {
    const records = open('a');
    await records.set('k', 1);
    await records.set('k', 2);
    expect(await records.get('k')).toBe(2);
    await records.delete('k');
    expect(await records.get('k')).toBeUndefined();
  });

  it('the last of several writes wins', async () => {
    const records = open('a');
    await Promise.all([records.set('k', 1), records.set('k', 2), records.set('k', 3)]);
    expect(await records.get('k')).toBe(3);
  });

  it('reads many, in their order', async () => {
    const records = open('a');
    for (const [key, value] of Object.entries({ a: 1, b: 2, c: 3 })) await records.set(key, value);
    const texts = await createSqliteRecordStore(database).read('a', ['b', 'none', 'a']);
    expect(texts).toEqual(['{"value":2}', undefined, '{"value":1}']);
    expect(await records.getMany(['b', 'none', 'a'])).toEqual([2, 1]);
  });

  it('keeps namespaces apart', async () => {
    const [records, other] = [open('a'), open('b')];
    await records.set('k', 'of a');
    await other.set('k', 'of b');
    expect(await records.get('k')).toBe('of a');
    expect(await keysOf(other.pages())).toEqual(['k']);
    await records.delete('k');
    expect(await records.get('k')).toBeUndefined();
    expect(await other.get('k')).toBe('of b');
  });

  it('lists more than a page while the list is written to', async () => {
    const records = open('a');
    const keys = Array.from({ length: 350 }, (_, index) => `k${index}`);
    for (const key of keys) await records.set(key, key);
    const seen: string[] = [];
    for await (const page of records.pages()) {
      seen.push(...page.map(({ key }) => key));
      await records.set('k0', 'changed');
    }
    expect(seen).toEqual(keys.sort());
  });

  it('survives a reopening', async () => {
    await open('a').set('k', 'v');
    database.close();
    database = openDatabase(folder);
    expect(await open('a').get('k')).toBe('v');
  });

  it('throws what the database refuses', async () => {
    const records = open('a');
    await records.set('k', 'v');
    const pages = records.pages();
    database.close();
    await expect(records.get('k')).rejects.toThrow();
    await expect(records.set('k', 'w')).rejects.toThrow();
    await expect(records.delete('k')).rejects.toThrow();
    await expect(records.getMany(['k'])).rejects.toThrow();
    await expect(keysOf(pages)).rejects.toThrow();
  });

  it('lists a group, and no other that begins alike', async () => {
    const records = open('a');
    const keys = ['T1', 'T1/a', 'T1/b/c', 'T10/a', 'T1-/a', 'T10', 'T2/a', 'ä/\u{10fffe}'];
    for (const key of keys) await records.set(key, 1);
    await open('b').set('T1/x', 1);
    const listed = (group?: string) => keysOf(records.pages(group));
    expect(await listed('T1')).toEqual(['T1/a', 'T1/b/c']);
    expect(await listed('T10')).toEqual(['T10/a']);
    expect(await listed('ä')).toEqual(['ä/\u{10fffe}']);
    expect(await listed('T3')).toEqual([]);
    expect((await listed()).toSorted()).toEqual(keys.toSorted());
  });

  it('shares its file with another process, both writing', async () => {
    const moduleAt = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
    const program = `
      import { createSqliteRecordStore } from ${moduleAt('records/sqlite/record-store.ts')};
      import { openDatabase } from ${moduleAt('store/sqlite/open.ts')};
      const database = openDatabase(process.argv[1]);
      const store = createSqliteRecordStore(database);
      const [hello] = await store.read('a', ['hello']);
      if (hello !== '{"value":"parent"}') throw new Error('The other process does not see what was written.');
      for (let i = 0; i < 200; i += 1) await store.commit([], [{ namespace: 'a', key: 'child' + i, text: '{}' }]);
      database.close();
    `;
    const records = open('a');
    await records.set('hello', 'parent');
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, folder], {
      stdio: 'inherit',
    });
    const ended = once(child, 'exit');
    for (let i = 0; i < 200; i += 1) {
      await records.set(`parent${i}`, i);
      await sleep(1);
    }
    expect(await ended).toEqual([0, null]);
    expect(await keysOf(records.pages())).toHaveLength(401);
  });
});
