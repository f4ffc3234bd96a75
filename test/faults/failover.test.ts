import { setTimeout as sleep } from 'node:timers/promises';
import { textOf } from 'slack-playground';
import { describe, expect } from 'vitest';
import { type RedisPair, startRedisPair } from '../helpers/redis-pair.ts';
import { withoutRedis } from '../helpers/redis-server.ts';
import { type Replicas, startReplicas } from '../helpers/replicas.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { cardSaying } from '../helpers/world-bulk.ts';
import { eventually, link } from '../helpers/world-steps.ts';
import { arrivalsOf, beginJob, type FaultJob, finishJob, textRequests } from './helpers/fault-jobs.ts';
import { testFault } from './helpers/faults.ts';

const RECIPIENTS = 400;
/** How long the service holds a request, and for how long the replica misses all writes, in ms. */
const HELD_MS = 300;
const MISSES_MS = 600;
/** How long a request may still arrive that the replica knows, in ms: the fuse of an intent, and as long again on a busy machine. */
const ON_ITS_WAY_MS = 2000;
/** If bots go on working, they do so within this time, in ms. */
const STILL_MS = 3000;

/** Two bots with a job, on a Redis that changes. */
async function underAJob(
  replicas: number,
  during: (world: World, job: FaultJob, at: { redis: RedisPair; bots: Replicas }) => Promise<void>,
): Promise<void> {
  const redis = await startRedisPair();
  const world = await createWorld({
    sandbox: { switches: { rateLimit: 100_000 } },
    env: {
      SMS_RATE_LIMIT: '10000',
      SMS_TIMEOUT_MS: '4000',
      SMS_ATTEMPT_LEASE_MS: '6000',
      BULK_CHUNK_SIZE: '2',
      REDIS_REPLICAS: String(replicas),
    },
  });
  const bots = await startReplicas(world, 2, { REDIS_URL: redis.url });
  try {
    world.service.setCredits(1, 100_000);
    await link(world, { values: { 'Low-credit threshold': '0' } });
    world.service.addFault({ kind: 'delay', endpoint: 'bulk', ms: HELD_MS, when: 'after', times: 'always' });
    const job = await beginJob(world, 'Hello', RECIPIENTS);
    await eventually(() => textRequests(world).length > 10);
    await during(world, job, { redis, bots }).catch(async (cause: unknown) => {
      const ready = await Promise.all(bots.all.map((bot) => bot.readiness()));
      throw new Error(`${cause}\n${JSON.stringify(ready)}\n${await redis.describe()}`, { cause });
    });
    expect([...arrivalsOf(world, job.text).values()].filter((times) => times > 1)).toEqual([]);
  } finally {
    await bots.close();
    await world.close();
    await redis.close();
  }
}

/** Redis fails over to a replica that misses the last writes. */
function failedOver(
  { replicas, killsOne = false }: { replicas: number; killsOne?: boolean },
  check: (world: World, job: FaultJob, leftMeanwhile: number) => Promise<void>,
): Promise<void> {
  return underAJob(replicas, async (world, job, { redis, bots }) => {
    await redis.cutOff();
    await sleep(ON_ITS_WAY_MS);
    const before = textRequests(world).length;
    await sleep(MISSES_MS);
    // If no bot waits for the replica, the job goes on, however slow the machine is.
    if (replicas === 0) await eventually(() => textRequests(world).length > before);
    const leftMeanwhile = textRequests(world).length - before;
    if (killsOne) await bots.all[0]?.kill();
    await redis.failOver();
    await check(world, job, leftMeanwhile);
  });
}

/** Resolves with the number of unknown recipients, once the job is finished. */
async function unknownAtEnd(world: World, job: FaultJob): Promise<number> {
  world.service.clearFaults();
  await finishJob(world);
  const card = textOf(await cardSaying(world, /\*Finished\*/));
  expect(arrivalsOf(world, job.text).size).toBeGreaterThan(RECIPIENTS * 0.9);
  return Number(/\*Unknown\*\n(\d+)/.exec(card)?.[1] ?? 0);
}

const FAILS_OVER = 'Redis fails over, with a job on two bots, to a replica that misses what came last';
const runs = { short: 1, long: 10 };

// They mostly wait.
describe.concurrent('Redis and its replica', () => {
  testFault(
    {
      what: `${FAILS_OVER}; REDIS_REPLICAS=1`,
      mustHold: 'nothing leaves that the replica does not know; work resumes by itself; nobody texted twice',
      runs,
      minutes: 20,
      skip: withoutRedis,
    },
    async ({ runs: count, saw }) => {
      let unknown = 0;
      for (let run = 0; run < count; run += 1) {
        await failedOver({ replicas: 1 }, async (world, job, leftMeanwhile) => {
          expect(leftMeanwhile).toBe(0);
          unknown += await unknownAtEnd(world, job);
        });
      }
      saw({ 'unknown recipients': unknown });
    },
  );

  testFault(
    {
      what: FAILS_OVER,
      mustHold: 'the bots tell the replica what it misses; work resumes by itself; nobody texted twice',
      runs,
      minutes: 20,
      skip: withoutRedis,
    },
    async ({ runs: count, saw }) => {
      let [forgotten, unknown] = [0, 0];
      for (let run = 0; run < count; run += 1) {
        await failedOver({ replicas: 0 }, async (world, job, leftMeanwhile) => {
          expect(leftMeanwhile).toBeGreaterThan(0);
          forgotten += leftMeanwhile;
          unknown += await unknownAtEnd(world, job);
        });
      }
      saw({ 'requests that Redis forgot': forgotten, 'unknown recipients': unknown });
    },
  );

  testFault(
    {
      what: `${FAILS_OVER}; one bot dies with it`,
      mustHold: 'the job pauses, for credits are missing; nothing leaves before a person presses Resume',
      runs,
      minutes: 20,
      skip: withoutRedis,
    },
    async ({ runs: count, saw }) => {
      let forgotten = 0;
      for (let run = 0; run < count; run += 1) {
        await failedOver({ replicas: 0, killsOne: true }, async (world, _job, leftMeanwhile) => {
          expect(leftMeanwhile).toBeGreaterThan(0);
          const before = textRequests(world).length;
          await cardSaying(world, /\*Paused\*[\s\S]*credits are missing/);
          await sleep(STILL_MS);
          expect(textRequests(world)).toHaveLength(before);
          forgotten += leftMeanwhile;
        });
      }
      saw({ 'requests that Redis forgot': forgotten });
    },
  );

  testFault(
    {
      what: 'Redis hands over to its replica in order, with a job on two bots, and keeps their connections',
      mustHold: 'work resumes by itself; nobody texted twice',
      runs,
      minutes: 20,
      skip: withoutRedis,
    },
    async ({ runs: count, saw }) => {
      let unknown = 0;
      for (let run = 0; run < count; run += 1) {
        await underAJob(run % 2, async (world, job, { redis }) => {
          await redis.handOver();
          unknown += await unknownAtEnd(world, job);
        });
      }
      saw({ 'unknown recipients': unknown });
    },
  );
});
