import { expect, test } from 'vitest';
import { HOME_EVERY_MS } from '../../../src/ledger/homes/homes.ts';
import { openHome, refreshHome } from '../../../src/slack/home/publish-home.ts';
import type { SlackDeps } from '../../../src/slack/workspaces/deps.ts';
import { createCoreWorld, run } from '../../helpers/core-world.ts';

const TEAM = 'T1';
const USER = 'UANA';

test('a Home whose publication got no answer is published again, even if it must show the same as before', async () => {
  const world = await createCoreWorld();
  const { core, log } = await run(world);
  const person = { id: USER, team: TEAM, isAdmin: false, isGuest: false, isOutsider: false };
  const published: string[] = [];
  const slack = { shows: '', isAnswerLost: false };
  const web = {
    views: {
      async publish({ view }: { view: unknown }) {
        slack.shows = JSON.stringify(view);
        published.push(slack.shows);
        if (slack.isAnswerLost) throw new Error('the answer was lost');
        return { view: { hash: `h${published.length}` } };
      },
    },
  };
  const channels = [{ id: 'C1', name: 'news' }];
  const deps = {
    web,
    log,
    team: TEAM,
    core: core.forTeam(TEAM),
    access: { person: async () => ({ ...person, isAdmin: channels.length === 0 }) },
    conversations: { channelsOf: async () => channels },
  } as unknown as SlackDeps;
  async function look(): Promise<void> {
    world.time.advance(HOME_EVERY_MS);
    for (const home of await core.homes.takeDue()) {
      await refreshHome(deps, home, deps.core.homes.facts).catch(() => undefined);
    }
  }

  await openHome(deps, USER);
  const before = slack.shows;
  await look();
  expect(published).toHaveLength(1);
  // The Home changes, and Slack shows the change, but its answer is lost. Then the Home changes back.
  channels.length = 0;
  slack.isAnswerLost = true;
  await look();
  expect(slack.shows).not.toBe(before);
  slack.isAnswerLost = false;
  channels.push({ id: 'C1', name: 'news' });
  await look();
  expect(slack.shows).toBe(before);
});

test('unknown texts are read for the Homes of admins only: nobody else sees them there', async () => {
  const world = await createCoreWorld();
  let reads = 0;
  const { core, log } = await run(world, {
    prepare: ({ tap }) => {
      tap.intercept('undecided', (real) => (query) => {
        reads += query.kind === 'single' ? 1 : 0;
        return real(query);
      });
    },
  });
  const depsOf = (isAdmin: boolean) =>
    ({
      log,
      team: TEAM,
      core: core.forTeam(TEAM),
      web: { views: { publish: async () => ({ view: { hash: 'h' } }) } },
      access: { person: async () => ({ id: USER, team: TEAM, isAdmin, isGuest: false, isOutsider: false }) },
      conversations: { channelsOf: async () => [] },
    }) as unknown as SlackDeps;
  await openHome(depsOf(false), USER);
  expect(reads).toBe(0);
  await openHome(depsOf(true), USER);
  expect(reads).toBe(1);
});
