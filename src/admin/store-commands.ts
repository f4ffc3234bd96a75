import { holdBackAll } from '../core/after-restore.ts';
import { AdminError, say } from './terminal.ts';
import type { Given, Tools } from './tools.ts';

/** `reset-store --yes`: begins with an empty ledger after Redis was emptied. */
export async function resetStore({ config, options }: Given): Promise<void> {
  const { redis, dataDir } = config;
  if (!redis) {
    throw new AdminError(
      'This is for a Redis that was emptied, but REDIS_URL is not set. Nothing was changed.',
    );
  }
  if (!options.yes) {
    throw new AdminError(
      'This deletes the rest of the ledger in the Redis that REDIS_URL names: drafts, jobs, unknown sends, outcomes, used budgets, and all opt-outs. First look at what went out and stop every bot. Then add --yes.',
    );
  }
  const { resetRedisStore } = await import('../data/shared.ts');
  await resetRedisStore({ url: redis.url, dataDir });
  say(
    'The ledger in Redis is empty and new. Records that were left stay. Start every bot again. Import opt-outs again with /sms optouts before anybody sends.',
  );
}

/** `move --to redis`: moves the database to an empty Redis. */
export async function move({ config, options }: Given): Promise<void> {
  const { redis, dataDir } = config;
  if (options.to !== 'redis') throw new AdminError('Say where to: move --to redis. Nothing was moved.');
  if (!redis) throw new AdminError('Set REDIS_URL to the Redis to move to. Nothing was moved.');
  const { moveToRedis } = await import('../data/move/move.ts');
  const { counts, aside } = await moveToRedis({ ...redis, dataDir });
  const all = Object.entries(counts ?? {}).map(([kind, count]) => `${kind}: ${count}`);
  say(
    counts
      ? `Moved to Redis, and counted there. ${all.join(' · ')}.`
      : 'An earlier move had copied everything. It is complete now.',
  );
  say(`The database was put aside as ${aside}. From now on start every bot with this REDIS_URL.`);
}

/** `after-restore`: keeps an older copy of the data from sending by itself. */
export async function afterRestore(tools: Tools): Promise<void> {
  const held = await holdBackAll(tools);
  say(
    `Jobs paused: ${held.jobs} · paused before: ${held.paused} · texts cancelled: ${held.texts} · drafts expired: ${held.drafts}.`,
  );
  say('No job goes on until a person presses Resume. Now start the bot. Each card says what happened.');
}
