import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Ledger } from '../src/ledger/ledger.ts';
import { startRedis } from '../test/helpers/redis-server.ts';
import { openBenchStore } from './bench-store.ts';
import type { BusyReport, BusyTask } from './busy-key-bot.ts';
import { inMs, levelOf, percentile, perSecond, type Section } from './figures.ts';
import { RUNS } from './interleaved.ts';
import { inScratchFolder } from './scratch-folder.ts';

const BOT = join(import.meta.dirname, 'busy-key-bot.ts');
const BOTS = 3;
const WORKERS = 16;
const WARM_UP_MS = 1000;
const FOR_MS = 3000;
/** More sends than the bots can have in flight, and more chunks than they can take meanwhile. */
const JOBS = 8;
const CHUNKS_A_JOB = 4000;
const CHUNKS_A_STEP = 500;

/** What three bots do with one key if the service takes no time, so that only the ledger limits them. */
export async function benchBusyKey(): Promise<Section> {
  const hasRedis = spawnSync('redis-server', ['--version']).error === undefined;
  const reports: BusyReport[] = [];
  for (let run = 0; hasRedis && run < RUNS; run += 1) reports.push(await inScratchFolder(oneRun));
  return {
    title: 'Three bots on one key',
    means:
      `${BOTS} bots, each a process with ${WORKERS} workers, take and settle chunks of ${JOBS} jobs of one key on one ` +
      'Redis, `appendfsync always`. The service takes no time, and permits are for as much as they can do. A step is a ' +
      'take or a settlement, from asking to the answer.' +
      (hasRedis ? '' : ' There is no `redis-server` on this machine: nothing was measured.'),
    figures: hasRedis
      ? [
          levelOf('Chunks a second', {
            runs: reports.map(({ chunks }) => (chunks * 1000) / FOR_MS),
            shown: perSecond,
            target: { atLeast: 2000 },
          }),
          levelOf('A step, 99 %', {
            runs: reports.map(({ took }) => percentile(took, 99)),
            shown: inMs,
            target: { atMost: 100 },
          }),
          levelOf('Steps that the store gave up', {
            runs: reports.map(({ givenUp }) => givenUp),
            shown: String,
            target: { atMost: 0 },
          }),
        ]
      : [],
  };
}

async function oneRun(dataDir: string): Promise<BusyReport> {
  const server = await startRedis();
  const encryptionKey = randomBytes(32);
  const store = await openBenchStore(server.url, dataDir, encryptionKey);
  const bots = Array.from({ length: BOTS }, () => fork(BOT));
  try {
    for (let job = 0; job < JOBS; job += 1) await confirmJob(store.ledger);
    const task: BusyTask = {
      url: server.url,
      dataDir,
      encryptionKey: encryptionKey.toString('base64'),
      workers: WORKERS,
      warmUpMs: WARM_UP_MS,
      forMs: FOR_MS,
    };
    await Promise.all(bots.map((bot) => answerOf(bot, task)));
    const reports = (await Promise.all(bots.map((bot) => answerOf(bot, 'go')))) as BusyReport[];
    return {
      chunks: reports.reduce((sum, { chunks }) => sum + chunks, 0),
      took: reports.flatMap(({ took }) => took),
      givenUp: reports.reduce((sum, { givenUp }) => sum + givenUp, 0),
    };
  } finally {
    for (const bot of bots) bot.kill();
    store.close();
    await server.close();
  }
}

async function answerOf(bot: ChildProcess, words: object | string): Promise<unknown> {
  bot.send(words);
  const ended = once(bot, 'exit').then(([code]) => {
    throw new Error(`a bot ended with ${code}`);
  });
  // Once the bot has answered, its end is no error.
  ended.catch(() => {});
  const [answer] = await Promise.race([once(bot, 'message'), ended]);
  return answer;
}

async function confirmJob(ledger: Ledger): Promise<void> {
  const id = randomUUID();
  await ledger.draft({
    id,
    team: 'T1',
    channelId: 'C1',
    instance: 'i1',
    kind: 'job',
    details: null,
    topics: ['card'],
    expiresInMs: 900_000,
    chunks: [],
  });
  for (let written = 0; written < CHUNKS_A_JOB; written += CHUNKS_A_STEP) {
    const chunk = [{ phone: '442079460958', text: 'Your parcel is ready.' }];
    await ledger.appendChunks(id, Array(CHUNKS_A_STEP).fill(chunk));
  }
  await ledger.decide(id, { to: 'running', by: 'U1' });
}
