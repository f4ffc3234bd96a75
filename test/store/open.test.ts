import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { lockDataDir } from '../../src/store/sqlite/lock.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { StoreError } from '../../src/store/store-error.ts';
import { tempFolder } from '../helpers/ledger-files.ts';

const OPEN = new URL('../../src/store/sqlite/open.ts', import.meta.url).href;
const HOLDER = fileURLToPath(new URL('./helpers/lock-holder.ts', import.meta.url));

function refusal(work: () => unknown): StoreError {
  try {
    work();
  } catch (error) {
    if (error instanceof StoreError) return error;
    throw error;
  }
  throw new Error('expected a refusal');
}

/** The message is one line with one sentence, ready to print at the start. */
function expectOneSentence(message: string, dataDir: string): void {
  expect(message).not.toMatch(/\n/);
  expect(message).toMatch(/\.$/);
  const said = message.replaceAll(dataDir, 'DIR');
  expect(said.match(/[.!?](\s|$)/g)).toHaveLength(1);
  expect(said.length).toBeLessThan(300);
}

/** Another process, which holds a data folder's lock. */
async function startHolder(dataDir: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--expose-gc', HOLDER, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  return child;
}

describe('openDatabase', () => {
  test('makes the folder, for nobody else to read', () => {
    const folder = join(tempFolder(), 'a', 'data');
    openDatabase(folder).close();
    expect(existsSync(join(folder, 'switchboard.db'))).toBe(true);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  test('refuses a file without any bytes: a new database there would have forgotten everything', () => {
    const folder = tempFolder();
    const file = join(folder, 'switchboard.db');
    writeFileSync(file, '');
    const { code, message } = refusal(() => openDatabase(folder));
    expect(code).toBe('unusable');
    expect(message).toMatch(/switchboard\.db has no bytes.*put a backup back .*, or delete the file/);
    expectOneSentence(message, folder);
    expect(statSync(file).size).toBe(0);
    rmSync(file);
    openDatabase(folder).close();
  });

  test('a full disk at the first start leaves no file that the next start would refuse', () => {
    const folder = tempFolder();
    const open = `import { openDatabase } from ${JSON.stringify(OPEN)}; openDatabase(process.argv[1]);`;
    const node = ['--input-type=module', '-e', open, folder];
    const script = 'ulimit -f 0; exec "$0" "$@"';
    const tried = spawnSync('bash', ['--norc', '-c', script, process.execPath, ...node], {
      encoding: 'utf8',
    });
    expect(tried.stderr).toContain('with space left');
    openDatabase(folder).close();
  });

  test('a transaction that throws leaves nothing, and the next transaction works', () => {
    const db = openDatabase(tempFolder());
    onTestFinished(() => db.close());
    db.raw.exec('CREATE TABLE numbers (n INTEGER)');
    const insert = () => db.sql('INSERT INTO numbers (n) VALUES (1)').run();
    expect(() =>
      db.transaction(() => {
        insert();
        throw new Error('on purpose');
      }),
    ).toThrow('on purpose');
    expect(db.sql('SELECT count(*) AS n FROM numbers').get()).toEqual({ n: 0 });
    db.transaction(insert);
    expect(db.sql('SELECT count(*) AS n FROM numbers').get()).toEqual({ n: 1 });
  });

  // Root may write to a folder without write permission. To these, nobody can write.
  test.each([
    ['below a regular file', () => join(fileOf('not a folder'), 'data')],
    ['in a file system that takes no files', () => '/proc/self/data'],
    ['where a file stands', () => fileOf('not a folder')],
  ])('a data folder %s is refused in one sentence, by the lock and the database', (_where, make) => {
    const folder = make();
    for (const open of [openDatabase, lockDataDir]) {
      const error = refusal(() => open(folder));
      expect(error.code).toBe('unusable');
      expect(error.message).toContain('DATA_DIR');
      expectOneSentence(error.message, folder);
      expect(error.cause).toBeInstanceOf(Error);
    }
  });

  test('a folder with “lock” in its name is not taken for a locked one', () => {
    const folder = join(fileOf('busy'), 'locked');
    expect(refusal(() => lockDataDir(folder)).code).toBe('unusable');
  });

  test('a file that is no database is refused in one sentence and left as it is', () => {
    const folder = tempFolder();
    const file = join(folder, 'switchboard.db');
    writeFileSync(file, 'precious, but no database '.repeat(100));
    const error = refusal(() => openDatabase(folder));
    expect(error.code).toBe('unusable');
    expectOneSentence(error.message, folder);
    expect(readFileSync(file, 'utf8')).toBe('precious, but no database '.repeat(100));
  });

  test('a disk that is full already is refused in one sentence', () => {
    const folder = tempFolder();
    // Linux answers every write to this device with "no space left".
    symlinkSync('/dev/full', join(folder, 'switchboard.db'));
    const error = refusal(() => openDatabase(folder));
    expect(error.code).toBe('unusable');
    expectOneSentence(error.message, folder);
  });

  function fileOf(name: string): string {
    const file = join(tempFolder(), name);
    writeFileSync(file, '');
    return file;
  }
});

describe('lockDataDir', () => {
  test('a second bot in another process is refused in one sentence, and does not wait longer than it says', async () => {
    const folder = tempFolder();
    await startHolder(folder);
    const error = refusal(() => lockDataDir(folder, 50));
    expect(error.code).toBe('locked');
    expect(error.message).toContain(folder);
    expectOneSentence(error.message, folder);
  });

  test('a second lock within the process is refused too', () => {
    const folder = tempFolder();
    const lock = lockDataDir(folder, 0);
    expect(refusal(() => lockDataDir(folder, 0)).code).toBe('locked');
    lock.release();
    lockDataDir(folder, 0).release();
  });

  test('the database can be used by the process that holds the lock', () => {
    const folder = tempFolder();
    const lock = lockDataDir(folder, 0);
    openDatabase(folder).close();
    expect(refusal(() => lockDataDir(folder, 0)).code).toBe('locked');
    lock.release();
  });

  test('kill -9 frees the lock, and the waiting process gets it', async () => {
    const folder = tempFolder();
    const holder = await startHolder(folder);
    expect(refusal(() => lockDataDir(folder, 0)).code).toBe('locked');
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    lockDataDir(folder, 10_000).release();
  });

  test('two folders do not disturb each other', () => {
    const locks = [lockDataDir(tempFolder(), 0), lockDataDir(tempFolder(), 0)];
    for (const lock of locks) lock.release();
  });
});
