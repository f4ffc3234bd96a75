import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src/store/redis/connect.ts';
import { MARK_KEY, openMark } from '../../src/store/redis/mark.ts';
import { tempFolder } from '../helpers/ledger-files.ts';
import { startRedis, withoutRedis } from '../helpers/redis-server.ts';

const LIFE = 'one-life/first';

/** A Redis, bots with a folder each, and copies of its data. */
async function aSite() {
  const server = await startRedis();
  const { client, close } = await connect(server.url);
  onTestFinished(async () => {
    close();
    await server.close();
  });
  const folders = new Map<string, string>();
  function folderOf(bot: string): string {
    const folder = folders.get(bot) ?? tempFolder();
    folders.set(bot, folder);
    return folder;
  }
  const ask = (...command: string[]) => client.sendCommand(command);
  return {
    folderOf,
    start: (bot: string, { epoch = LIFE, replicas = 0, mayForget = false } = {}) =>
      openMark(client, { dataDir: folderOf(bot), epoch, replicas, mayForget }),
    copy: async () => String((await ask('GET', MARK_KEY)) ?? ''),
    putBack: (copy: string) => (copy === '' ? ask('DEL', MARK_KEY) : ask('SET', MARK_KEY, copy)),
    count: async () => Number(await ask('GET', MARK_KEY)),
  };
}

describe.skipIf(withoutRedis)('the mark of Redis', () => {
  test('a new Redis is no old copy, nor is one that bots have used since, an upgrade included', async () => {
    const { start } = await aSite();
    const one = await start('one');
    const two = await start('two');
    expect([one.isOldCopy, two.isOldCopy]).toEqual([false, false]);
    await one.renew();
    await two.renew();
    expect((await start('one')).isOldCopy).toBe(false);
    expect((await start('two', { epoch: 'one-life/upgraded' })).isOldCopy).toBe(false);
  });

  test('a copy from before a renewal is one, for each bot that knows a later one', async () => {
    const { start, copy, putBack } = await aSite();
    const one = await start('one');
    const empty = await copy();
    await one.renew();
    const used = await copy();
    const two = await start('two');
    await two.renew();
    await putBack(used);
    expect((await start('one')).isOldCopy).toBe(false);
    expect((await start('two')).isOldCopy).toBe(true);
    expect((await start('new')).isOldCopy).toBe(false);
    await putBack(empty);
    expect((await start('one')).isOldCopy).toBe(true);
  });

  test('once a bot has held back a copy’s work and renewed the mark, no other bot does so again', async () => {
    const { start, copy, putBack } = await aSite();
    const two = await start('two');
    await two.renew();
    const used = await copy();
    const one = await start('one');
    for (const mark of [one, two, two, two]) {
      mark.noteChange();
      await mark.renew();
    }
    await putBack(used);
    const held = await start('one');
    expect(held.isOldCopy).toBe(true);
    // A start that fails in between changes nothing.
    expect((await start('one')).isOldCopy).toBe(true);
    await held.renew();
    expect((await start('one')).isOldCopy).toBe(false);
    expect((await start('two')).isOldCopy).toBe(false);
  });

  test('what a bot knows of another life of the store counts for nothing', async () => {
    const { start, putBack } = await aSite();
    await (await start('one')).renew();
    await putBack('');
    expect((await start('one', { epoch: 'another-life/first' })).isOldCopy).toBe(false);
  });

  test('an idle bot counts nothing, and learns the count of the others at each third call', async () => {
    const { start, count, copy, putBack } = await aSite();
    const idle = await start('idle');
    await idle.renew();
    const used = await copy();
    const busy = await start('busy');
    await busy.renew();
    const before = await count();
    for (let calls = 0; calls < 3; calls += 1) {
      await putBack(used);
      expect((await start('idle')).isOldCopy).toBe(false);
      await putBack(String(before));
      await idle.renew();
    }
    expect(await count()).toBe(before);
    await putBack(used);
    expect((await start('idle')).isOldCopy).toBe(true);
  });

  test('a bot that runs while Redis gets an older copy still tells at its next start', async () => {
    const { start, copy, putBack } = await aSite();
    const mark = await start('one');
    await mark.renew();
    const used = await copy();
    for (const _change of [1, 2, 3]) {
      mark.noteChange();
      await mark.renew();
    }
    await putBack(used);
    mark.noteChange();
    await mark.renew();
    expect((await start('one')).isOldCopy).toBe(true);
  });

  test('a replica that took over may lack the last counts, which proves nothing', async () => {
    const { start, copy, putBack } = await aSite();
    const used = await copy();
    await (await start('one')).renew();
    await putBack(used);
    const mark = await start('one', { mayForget: true });
    expect(mark.isOldCopy).toBe(false);
    for (const _change of [1, 2]) {
      mark.noteChange();
      await mark.renew();
    }
    expect((await start('one')).isOldCopy).toBe(false);
  });

  test('a count that a replica lacks is not remembered, and is tried again', async () => {
    const { start, folderOf } = await aSite();
    const mark = await start('one', { replicas: 1 });
    await expect(mark.renew()).rejects.toThrow('Too few replicas');
    await expect(mark.renew()).rejects.toThrow('Too few replicas');
    expect(() => readFileSync(join(folderOf('one'), 'redis-mark'))).toThrow('ENOENT');
  });
});
