import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { type RedisServer, startRedis } from './redis-server.ts';
import { type Replicas, startReplicas } from './replicas.ts';
import { createWorld, type World } from './world.ts';
import { link } from './world-steps.ts';

/** Bots on one Redis, behind one address that Slack calls. #sales is linked. */
export interface BotsOnRedis {
  world: World;
  redis: RedisServer;
  bots: Replicas;
  /** For `afterEach`: shows the bots' last lines if a test failed. */
  showIfFailed(context: Pick<TestContext, 'task'>): void;
  close(): Promise<void>;
}

/** How far the clocks of the bots' machines are off, in ms: less than the five minutes after which a request is too old. */
const CLOCKS_OFF_MS = [0, 240_000, -240_000];

/**
 * Starts three bots, whose service has a very high rate limit and more credits than they need. Their clocks differ by
 * minutes: all times that count are by Redis's clock.
 */
export async function startBotsOnRedis(env: Record<string, string> = {}): Promise<BotsOnRedis> {
  const redis = await startRedis();
  const world = await createWorld({
    sandbox: { switches: { rateLimit: 100_000 } },
    // A busy machine answers late. That alone must make nothing unknown.
    env: { SMS_RATE_LIMIT: '10000', SMS_TIMEOUT_MS: '15000', SMS_ATTEMPT_LEASE_MS: '30000', ...env },
  });
  const bots = await startReplicas(world, 0, { REDIS_URL: redis.url });
  await Promise.all(CLOCKS_OFF_MS.map((offMs) => bots.add(withClockOff(offMs))));
  world.service.setCredits(1, 100_000);
  await link(world, { values: { 'Low-credit threshold': '0' } });
  return {
    world,
    redis,
    bots,
    showIfFailed({ task }) {
      if (task.result?.state !== 'fail') return;
      for (const { output } of bots.all) process.stderr.write(`${output().slice(-3000)}\n`);
    },
    async close() {
      await bots.close();
      await world.close();
      await redis.close();
    },
  };
}

/** Variables for a bot on a machine whose clock is wrong by this many ms. */
function withClockOff(offMs: number): Record<string, string> {
  return {
    NODE_OPTIONS: `--import=${join(import.meta.dirname, 'clock-off.ts')}`,
    CLOCK_OFF_MS: String(offMs),
  };
}
