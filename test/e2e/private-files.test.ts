import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startRedis, withoutRedis } from '../helpers/redis-server.ts';
import { START } from '../helpers/start-command.ts';
import { createWorld, type World, type WorldOptions } from '../helpers/world.ts';
import { link, sendText } from '../helpers/world-steps.ts';

const worlds: World[] = [];
afterAll(async () => {
  await Promise.all(worlds.map((world) => world.close()));
});

/** A bot without the tests' compile cache, in a folder that everybody may enter. */
async function newWorld({ env, ...options }: WorldOptions = {}): Promise<World> {
  const world = await createWorld({ ...options, env: { NODE_COMPILE_CACHE: '', ...env } });
  worlds.push(world);
  chmodSync(world.dataDir, 0o777);
  return world;
}

/** What people other than the owner may do with the folder's files. */
function openTo(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return entries.filter((entry) => (statSync(join(folder, entry)).mode & 0o077) !== 0);
}

describe('what the bot writes', () => {
  it('is for its own account alone, whatever the folder allows: database, lock and compile cache', async () => {
    const world = await newWorld({ bot: START });
    await world.start();
    await link(world);
    await sendText(world, '+442079460801 Private');
    expect(openTo(world.dataDir)).toEqual([]);
    await world.stop();
    const written = readdirSync(world.dataDir, { recursive: true, encoding: 'utf8' });
    expect(openTo(world.dataDir)).toEqual([]);
    expect(written).toContain('switchboard.db');
    expect(written.filter((entry) => entry.startsWith('compile-cache/')).length).toBeGreaterThan(100);
  });

  it('and what the operator’s commands write', async () => {
    const world = await newWorld();
    await world.start();
    await world.stop();
    expect((await world.runAdmin(['status'])).code).toBe(0);
    expect(openTo(world.dataDir)).toEqual([]);
  });

  it('does not need a compile cache to start', async () => {
    const world = await newWorld();
    writeFileSync(join(world.dataDir, 'compile-cache'), 'in its way', { mode: 0o600 });
    await world.start();
    expect((await fetch(`${world.url}/readyz`)).status).toBe(200);
  });

  it.skipIf(withoutRedis)(
    'is the name of the store, its mark and the compile cache where Redis has the rest',
    async () => {
      const redis = await startRedis();
      try {
        const world = await newWorld({ env: { REDIS_URL: redis.url } });
        await world.start();
        await world.stop();
        expect(readdirSync(world.dataDir).sort()).toEqual(['compile-cache', 'redis-epoch', 'redis-mark']);
        expect(openTo(world.dataDir)).toEqual([]);
      } finally {
        await redis.close();
      }
    },
  );
});

it('nobody on the machine opens the bot’s inspector by a signal', async () => {
  const world = await newWorld();
  await world.start();
  const { pid } = JSON.parse(world.output().split('\n')[0] ?? '') as { pid: number };
  process.kill(pid, 'SIGUSR1');
  await link(world);
  expect(world.output()).not.toContain('Debugger listening');
});
