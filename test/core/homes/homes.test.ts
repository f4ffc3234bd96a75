import { expect, test } from 'vitest';
import { HOME_EVERY_MS, HOME_OPEN_MS } from '../../../src/ledger/homes/homes.ts';
import { aJob } from '../../helpers/core-jobs.ts';
import { ADMIN, ANA } from '../../helpers/core-people.ts';
import { eventually } from '../../helpers/core-sends.ts';
import { createCoreWorld, runLinked } from '../../helpers/core-world.ts';

const HOME = { team: 'T1', user: ANA.id };

test('while nobody has opened a Home, nobody asks for one; once it is due, a look for work finds it', async () => {
  const world = await createCoreWorld();
  let looks = 0;
  let asked = 0;
  let due = 0;
  const { core } = await runLinked(world, {
    onHomeDue: () => {
      due += 1;
    },
    prepare: ({ tap }) => {
      tap.intercept('pendingWork', (real) => () => {
        looks += 1;
        return real();
      });
      tap.intercept('takeDueHomes', (real) => () => {
        asked += 1;
        return real();
      });
    },
  });
  await eventually(() => looks > 3);
  expect([asked, due]).toEqual([0, 0]);

  await core.homes.opened(HOME);
  const seen = looks;
  await eventually(() => looks > seen + 2);
  expect(due).toBe(0);
  world.time.advance(HOME_EVERY_MS);
  await eventually(() => due > 0);
  expect(await core.homes.takeDue()).toEqual([HOME]);
  world.time.advance(HOME_OPEN_MS);
  expect(await core.homes.takeDue()).toEqual([]);
});

test('a Home is made from the store: the service is not asked', async () => {
  const world = await createCoreWorld();
  const { core, instance } = await runLinked(world);
  const reads = world.balanceRequests().length;
  const home = core.forTeam('T1').homes;
  const facts = await home.facts();
  expect(facts.links.map(({ channel }) => channel)).toEqual(['C-sales']);
  expect(facts.balances.get(instance.accountId)).toMatchObject({ credits: 1000 });
  expect(facts).toMatchObject({ jobs: [], drifts: [] });
  expect(facts.weeks).toMatchObject([{ opening: 1000, daily: [{ closing: 1000, used: 0 }] }]);
  expect(JSON.stringify(facts)).not.toContain('sealedKey');
  expect(world.balanceRequests()).toHaveLength(reads);
  expect(await core.forTeam('T2').homes.facts()).toMatchObject({ links: [], instances: [], jobs: [] });
});

test('a job under way is one of its workspace, and a person’s last sends are their own', async () => {
  const world = await createCoreWorld();
  const { core } = await runLinked(world);
  world.service.addFault({ kind: 'hang', endpoint: 'texts', times: 'always' });
  const drafted = await core.jobs.draft(aJob());
  if (drafted.kind !== 'draft') throw new Error(drafted.kind);
  const { id } = drafted.preview.view;
  await core.jobs.confirm(id, ANA, null);
  const { homes } = core.forTeam('T1');
  expect((await homes.facts()).jobs.map((job) => job.id)).toEqual([id]);
  expect(await homes.lastSends(ANA)).toMatchObject([{ id, kind: 'job', by: ANA.id }]);
  expect(await homes.lastSends(ADMIN)).toEqual([]);
  await core.jobs.stop(id, ANA);
  expect((await homes.facts()).jobs).toEqual([]);
});
