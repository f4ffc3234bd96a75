import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Keyv } from 'keyv';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKeyvAdapter } from '../../src/records/record-store.ts';
import { createSqliteRecords } from '../../src/records/sqlite/record-store.ts';
import { type Database, openDatabase } from '../../src/store/sqlite/open.ts';

let folder: string;
let database: Database;

function open(namespace: string, useKeyPrefix = false): Keyv {
  const store = createKeyvAdapter(createSqliteRecords(database), namespace);
  return new Keyv({ store, namespace, useKeyPrefix, throwOnErrors: true });
}

async function entries(keyv: Keyv): Promise<Record<string, unknown>> {
  const keys: string[] = [];
  // With key prefixes, keyv's own prefix is in front.
  for await (const page of createSqliteRecords(database).pages(keyv.namespace ?? ''))
    keys.push(...page.map(({ key }) => key.replace(/^[ab]:/, '')));
  const values = keys.length > 0 ? await keyv.getMany(keys) : [];
  return Object.fromEntries(keys.map((key, i) => [key, values[i]]));
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-keyv-'));
  database = openDatabase(folder);
});

afterEach(() => {
  if (database.raw.isOpen) database.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.each([
  ['its own namespaces', false],
  ['key prefixes of keyv', true],
])('keyv on records in SQLite, with %s', (_name, useKeyPrefix) => {
  let keyv: Keyv;
  beforeEach(() => {
    keyv = open('a', useKeyPrefix);
  });

  it('keeps values of any JSON type', async () => {
    const values = {
      text: 'ä 👍 \u0000 "',
      empty: '',
      number: 0,
      no: false,
      list: [1, { a: null }],
      colon: ':x',
    };
    for (const [key, value] of Object.entries(values)) expect(await keyv.set(key, value)).toBe(true);
    for (const [key, value] of Object.entries(values)) expect(await keyv.get(key)).toEqual(value);
    expect(await entries(keyv)).toEqual(values);
  });

  it('reads a missing key as undefined, and also null', async () => {
    expect(await keyv.get('none')).toBeUndefined();
    expect(await keyv.has('none')).toBe(false);
    expect(await keyv.delete('none')).toBe(false);
    await keyv.set('nothing', null);
    expect(await keyv.get('nothing')).toBeNull();
  });

  it('overwrites, deletes and knows what it has', async () => {
    await keyv.set('k', 1);
    await keyv.set('k', 2);
    expect(await keyv.get('k')).toBe(2);
    expect(await keyv.has('k')).toBe(true);
    expect(await keyv.delete('k')).toBe(true);
    expect(await keyv.has('k')).toBe(false);
    expect(await keyv.get('k')).toBeUndefined();
  });

  it('reads and deletes many', async () => {
    await keyv.set('a', 1);
    await keyv.set('b', 2);
    await keyv.set('c', 3);
    expect(await keyv.getMany(['b', 'none', 'a'])).toEqual([2, undefined, 1]);
    expect(await keyv.deleteMany(['a', 'b'])).toBe(true);
    expect(await keyv.deleteMany(['c', 'none'])).toBe(false);
    expect(await entries(keyv)).toEqual({});
  });

  it('keeps namespaces apart', async () => {
    const other = open('b', useKeyPrefix);
    await keyv.set('k', 'of a');
    await other.set('k', 'of b');
    expect(await keyv.get('k')).toBe('of a');
    expect(await entries(other)).toEqual({ k: 'of b' });
    await keyv.clear();
    expect(await keyv.get('k')).toBeUndefined();
    expect(await other.get('k')).toBe('of b');
  });

  it('lists more than a page while the list is written to', async () => {
    const keys = Array.from({ length: 350 }, (_, index) => `k${index}`);
    for (const key of keys) await keyv.set(key, key);
    const seen: string[] = [];
    for await (const page of createSqliteRecords(database).pages('a')) {
      seen.push(...page.map(({ key }) => key.replace(/^[ab]:/, '')));
      await keyv.set('k0', 'changed');
    }
    expect(seen).toEqual(keys.sort());
  });

  it('survives a reopening', async () => {
    await keyv.set('k', 'v');
    database.close();
    database = openDatabase(folder);
    expect(await open('a', useKeyPrefix).get('k')).toBe('v');
  });

  it('throws the errors of the database', async () => {
    await keyv.set('k', 'v');
    database.close();
    await expect(keyv.get('k')).rejects.toThrow();
    await expect(keyv.set('k', 'w')).rejects.toThrow();
    await expect(keyv.delete('k')).rejects.toThrow();
    await expect(keyv.clear()).rejects.toThrow();
    await expect(keyv.getMany(['k'])).rejects.toThrow();
    await expect(keyv.deleteMany(['k'])).rejects.toThrow();
    await expect(keyv.has('k')).rejects.toThrow();
    await expect(entries(keyv)).rejects.toThrow();
  });
});

describe('records in SQLite', () => {
  it('lists a group, and no other that begins alike', async () => {
    const keyv = open('a');
    const keys = ['T1', 'T1/a', 'T1/b/c', 'T10/a', 'T1-/a', 'T10', 'T2/a', 'ä/\u{10fffe}'];
    for (const key of keys) await keyv.set(key, 1);
    await open('b').set('T1/x', 1);
    const listed = async (group?: string) => {
      const found: string[] = [];
      for await (const page of createSqliteRecords(database).pages('a', group))
        found.push(...page.map(({ key }) => key));
      return found;
    };
    expect(await listed('T1')).toEqual(['T1/a', 'T1/b/c']);
    expect(await listed('T10')).toEqual(['T10/a']);
    expect(await listed('ä')).toEqual(['ä/\u{10fffe}']);
    expect(await listed('T3')).toEqual([]);
    expect((await listed()).toSorted()).toEqual(keys.toSorted());
  });

  it('shares its file with another process, both writing', async () => {
    const at = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
    const program = `
      import { Keyv } from 'keyv';
      import { createKeyvAdapter } from ${at('records/record-store.ts')};
      import { createSqliteRecords } from ${at('records/sqlite/record-store.ts')};
      import { openDatabase } from ${at('store/sqlite/open.ts')};
      const database = openDatabase(process.argv[1]);
      const store = createKeyvAdapter(createSqliteRecords(database), 'a');
      const keyv = new Keyv({ store, namespace: 'a', useKeyPrefix: false, throwOnErrors: true });
      if (await keyv.get('hello') !== 'parent') throw new Error('The other process does not see what was written.');
      for (let i = 0; i < 200; i += 1) await keyv.set('child' + i, i);
      database.close();
    `;
    const keyv = open('a');
    await keyv.set('hello', 'parent');
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, folder], {
      stdio: 'inherit',
    });
    const ended = once(child, 'exit');
    for (let i = 0; i < 200; i += 1) {
      await keyv.set(`parent${i}`, i);
      await sleep(1);
    }
    expect(await ended).toEqual([0, null]);
    expect(Object.keys(await entries(keyv))).toHaveLength(401);
  });
});
