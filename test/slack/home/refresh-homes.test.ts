import { expect, test } from 'vitest';
import { HOME_EVERY_MS } from '../../../src/ledger/homes/homes.ts';
import { createHomeRefresher } from '../../../src/slack/home/refresh-homes.ts';
import { createCoreWorld, run } from '../../helpers/core-world.ts';

const HOME = { team: 'T1', user: 'UANA' };

test('a Home of a workspace that has removed the bot is forgotten; if the token can’t be read now, the Home is kept', async () => {
  const world = await createCoreWorld();
  const { core, log } = await run(world);
  const refreshWith = async (of: () => Promise<undefined>) => {
    world.time.advance(HOME_EVERY_MS);
    const refresher = createHomeRefresher({ core, workspaces: { of }, log });
    refresher.wake();
    await refresher.drain();
  };
  await core.homes.opened(HOME);
  await refreshWith(() => Promise.reject(new Error('no token')));
  world.time.advance(HOME_EVERY_MS);
  expect(await core.homes.takeDue()).toEqual([HOME]);
  await refreshWith(async () => undefined);
  world.time.advance(HOME_EVERY_MS);
  expect(await core.homes.takeDue()).toEqual([]);
});

test('once it is drained, it looks at nothing more', async () => {
  const world = await createCoreWorld();
  const { core, log } = await run(world);
  await core.homes.opened(HOME);
  world.time.advance(HOME_EVERY_MS);
  const refresher = createHomeRefresher({ core, workspaces: { of: async () => undefined }, log });
  await refresher.drain();
  refresher.wake();
  await refresher.drain();
  expect(await core.homes.takeDue()).toEqual([HOME]);
});
