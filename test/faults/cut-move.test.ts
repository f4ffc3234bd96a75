import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished } from 'vitest';
import { connect, type RedisClient } from '../../src/store/redis/connect.ts';
import { between, createDice } from '../helpers/dice.ts';
import { type Dump, dumpRedis } from '../helpers/dump-store.ts';
import { expectWhole } from '../helpers/expect-whole.ts';
import { startRedis, withoutRedis } from '../helpers/redis-server.ts';
import { ADMIN } from '../helpers/start-command.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { cardSaying, confirmBulk, draftBulk } from '../helpers/world-bulk.ts';
import { link, sendText } from '../helpers/world-steps.ts';
import { testFault } from './helpers/faults.ts';
import { readLedger } from './helpers/read-ledger.ts';
import { createSlowLine } from './helpers/slow-line.ts';

/** The delay of each message to Redis: a kill can fall between any two steps, and a look can see each. */
const LINE_MS = 5;
const phoneAt = (place: number) => `+4477009${String(place).padStart(5, '0')}`;

/** The database's folder, and the Redis that it moves to. */
interface Stores {
  folder: string;
  client: RedisClient;
}

describe('a move that is killed', () => {
  testFault(
    {
      what: 'a move from the database to Redis is killed (`kill -9`) at any time, once or more, and run again',
      mustHold: 'at no moment can both stores be used; in the end Redis has all that the database had',
      runs: { short: 4, long: 200 },
      skip: withoutRedis,
    },
    async ({ runs, saw }) => {
      const world = await aWorldAtRest();
      const redis = await startRedis();
      const { client, close } = await connect(redis.url);
      const line = await createSlowLine(redis.url, LINE_MS);
      onTestFinished(async () => {
        close();
        line.close();
        await redis.close();
        await world.close();
      });
      const dice = createDice(7);
      const kills: { [stage: string]: number } = {};
      let copyMs = 0;
      for (let run = 0; run <= runs; run += 1) {
        const folder = mkdtempSync(join(tmpdir(), 'switchboard-cut-move-'));
        const stores = { folder, client };
        cpSync(world.dataDir, folder, { recursive: true });
        const before = readLedger(folder);
        await client.sendCommand(['FLUSHALL']);
        const [program, ...words] = ADMIN;
        const startMove = () =>
          spawn(program, [...words, 'move', '--to', 'redis'], {
            env: { ...world.environment, DATA_DIR: folder, REDIS_URL: line.url },
          });
        // Nobody kills the first move: it shows how long copying takes.
        for (let again = run > 0; again; again = dice() < 0.4) {
          await watch(startMove(), stores, between(dice, 0, 1.2) * copyMs);
          const stage = await stageOf(stores);
          kills[stage] = (kills[stage] ?? 0) + 1;
        }
        const move = startMove();
        const [said, copiedMs] = await Promise.all([text(move.stderr), watch(move, stores)]);
        if (run === 0) copyMs = copiedMs;
        expect(await stageOf(stores), said).toBe('ended');
        const ledger = await dumpRedis(client, 'switchboard:ledger:');
        expect(documentsOf(ledger)).toEqual(documentsOf(before));
        expectWhole(ledger);
        rmSync(folder, { recursive: true });
      }
      saw(kills);
    },
  );
});

/** A stopped bot: #sales is linked, a text was sent, and a list waits. */
async function aWorldAtRest(): Promise<World> {
  const world = await createWorld({
    sandbox: { switches: { rateLimit: 1000 } },
    env: { SMS_RATE_LIMIT: '1000', BULK_CHUNK_SIZE: '2' },
  });
  await world.start();
  await link(world);
  await sendText(world, '+442079461402 Before');
  const recipients = Array.from({ length: 180 }, (_, at) => phoneAt(at)).join('\n');
  world.service.addFault({ kind: 'delay', ms: 300, endpoint: 'bulk', when: 'before', times: 'always' });
  await confirmBulk(world, await draftBulk(world, { recipients, message: 'Hello' }));
  const running = await cardSaying(world, /\*Sending\*/);
  await world.slack.click({ user: world.slack.people.member, message: running, text: 'Pause' });
  await cardSaying(world, /\*Paused\*/);
  await world.stop();
  return world;
}

/**
 * Looks at the stores until a move ends. Kills the move `killAfterMs` after it began to copy. Resolves with how long it
 * copied, in ms.
 */
async function watch(
  move: ChildProcess,
  stores: Stores,
  killAfterMs = Number.POSITIVE_INFINITY,
): Promise<number> {
  const ended = once(move, 'exit');
  let copiesSince: number | undefined;
  while (move.exitCode === null && move.signalCode === null) {
    const stage = await stageOf(stores);
    if (stage === 'copying' || stage === 'copied') copiesSince ??= performance.now();
    if (copiesSince !== undefined && performance.now() - copiesSince >= killAfterMs) move.kill('SIGKILL');
    await sleep(1);
  }
  const copiedMs = performance.now() - (copiesSince ?? performance.now());
  await ended;
  return copiedMs;
}

/** How far a move has come. Throws if both stores can be used. */
async function stageOf({ folder, client }: Stores): Promise<string> {
  const [mark, epoch] = (await client.sendCommand([
    'MGET',
    'switchboard:moving',
    'switchboard:ledger:epoch',
  ])) as (string | null)[];
  // Look after Redis: once Redis can be used, this file must be gone.
  const isDatabaseThere = existsSync(join(folder, 'switchboard.db'));
  const canUseRedis = epoch !== null && mark === null;
  expect(canUseRedis && isDatabaseThere, 'both stores can be used').toBe(false);
  if (canUseRedis) return 'ended';
  if (!isDatabaseThere) return 'copied';
  return mark === null ? 'not begun' : 'copying';
}

function documentsOf({ documents }: Dump): unknown[] {
  return documents.map((each) => JSON.stringify(each)).sort();
}
