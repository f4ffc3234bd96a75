import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createHashNumber } from '../../src/core/history/hash-number.ts';
import { remains } from '../../src/core/history/remains.ts';
import { openRedisStore } from '../../src/data/shared.ts';
import { connect } from '../../src/store/redis/connect.ts';
import { packText, unpackText } from '../../src/store/redis/packed-text.ts';
import { tempFolder } from '../helpers/ledger-files.ts';
import { drain, inFlight, LIMITS, SENT } from '../helpers/ledger-fixtures.ts';
import { type RedisServer, startRedis, withoutRedis } from '../helpers/redis-server.ts';

/** All files in a folder and its subfolders. */
function filesIn(folder: string): Buffer[] {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .flatMap((path) => (statSync(path).isDirectory() ? filesIn(path) : [readFileSync(path)]));
}

/** Each packed text begins with this. */
const START = packText(JSON.stringify({ text: 'x'.repeat(100) })).subarray(0, 6);

/** The contents of all files below a folder: as they are, and unpacked. */
function wordsIn(folder: string): string {
  const found: string[] = [];
  for (const file of filesIn(folder)) {
    found.push(file.toString('latin1'));
    for (let at = file.indexOf(START); at !== -1; at = file.indexOf(START, at + 1)) {
      found.push(unpackText(file.subarray(at)));
    }
  }
  return found.join('\n');
}

/** A store on this server, with what it says of rewrites that it does not get. */
async function openedOn({ url }: Pick<RedisServer, 'url'>) {
  const refused: unknown[] = [];
  const store = await openRedisStore({
    url,
    dataDir: tempFolder(),
    encryptionKeys: [Buffer.alloc(32)],
    limits: LIMITS,
    allowVolatile: false,
    onDamaged() {},
    onScrubRefused: (error) => void refused.push(error),
  });
  return { store, refused };
}

test.skipIf(withoutRedis)(
  'after a rewrite, Redis’s files hold no word and no number that was forgotten',
  async () => {
    const parent = tempFolder();
    // The test could not search compressed strings.
    const server = await startRedis({ rdbcompression: 'no' }, parent);
    const connection = await connect(server.url);
    const { store, refused } = await openedOn(server);
    onTestFinished(async () => {
      store.close();
      connection.close();
      await server.close();
    });
    const { ledger } = store;
    const words = ['447946095800', 'Zanzibar'] as const;
    const [phone, text] = words;
    const { ref, token } = await inFlight(ledger, 's1', { chunks: [[{ phone, text }]] });
    await ledger.settle(ref, token, SENT);
    await drain(ledger);
    const hashOf = createHashNumber(Buffer.alloc(32));
    while (await ledger.listNumbers(hashOf));
    for (const word of words) expect(wordsIn(parent)).toContain(word);

    expect(await ledger.forgetEnded({ team: 'T1', endedBefore: ledger.now(), remains })).toBe(1);
    expect(await store.scrub.run()).toBe(true);
    for (;;) {
      const told = String(await connection.client.sendCommand(['INFO', 'persistence']));
      if (/aof_rewrite_in_progress:0/.test(told) && /aof_rewrite_scheduled:0/.test(told)) break;
      await sleep(50);
    }
    for (const word of words) expect(wordsIn(parent)).not.toContain(word);
    expect(wordsIn(parent)).toContain('creditsUsed');
    expect(refused).toEqual([]);
    expect(await ledger.lookUp('T1', hashOf('T1', phone), 0)).toHaveLength(1);
  },
);

test.skipIf(withoutRedis)(
  'a rewrite that Redis does not answer in time is tried again, and is no refusal',
  async () => {
    const server = await startRedis();
    onTestFinished(() => server.close());
    const { store, refused } = await openedOn(server);
    onTestFinished(store.close);
    server.freeze();
    expect(await store.scrub.run()).toBe(false);
    server.thaw();
    await expect.poll(() => store.scrub.run()).toBe(true);
    expect(refused).toEqual([]);
  },
);

test.skipIf(withoutRedis)(
  'a rewrite that Redis begins and does not end is tried again, and is said',
  async () => {
    const server = await startRedis();
    onTestFinished(() => server.close());
    const connection = await connect(server.url);
    onTestFinished(() => connection.close());
    const ask = (...words: string[]) => connection.client.sendCommand(words);
    const { store, refused } = await openedOn(server);
    onTestFinished(store.close);
    // Redis waits a second after each key, so that the rewrite takes a while.
    await ask('CONFIG', 'SET', 'rdb-key-save-delay', '1000000');
    const scrubbed = store.scrub.run();
    const [, pid] = /process_id:(\d+)/.exec(String(await ask('INFO', 'server'))) ?? [];
    const children = () => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    await expect.poll(children).toMatch(/^\d+$/);
    process.kill(Number(children()), 'SIGKILL');
    expect(await scrubbed).toBe(false);
    expect(String(refused)).toContain('could not end it');
    await ask('CONFIG', 'SET', 'rdb-key-save-delay', '0');
    expect(await store.scrub.run()).toBe(true);
  },
);
