import { WebClient } from '@slack/web-api';
import { type Playground, textOf } from 'slack-playground';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  SECRETS,
  silent,
  startPlayground,
} from '../../../packages/slack-playground/test/helpers/slack-bot.ts';
import { HOME_EVERY_MS } from '../../../src/ledger/homes/homes.ts';
import { openHome } from '../../../src/slack/home/publish-home.ts';
import { createHomeRefresher } from '../../../src/slack/home/refresh-homes.ts';
import type { SlackDeps } from '../../../src/slack/workspaces/deps.ts';
import { tapLedger } from '../../helpers/core-ledger.ts';
import { eventually } from '../../helpers/core-sends.ts';
import { addInstance, boot, createCoreWorld, linkTo, run } from '../../helpers/core-world.ts';
import { handClock } from '../../helpers/ledger-fixtures.ts';
import { openOnRedis } from '../../helpers/redis-ledger.ts';
import { type RedisServer, startRedis, withoutRedis } from '../../helpers/redis-server.ts';

const TEAM = 'T1';
const CHANNEL = 'C-sales';

describe.skipIf(withoutRedis)('three bots on one Redis, and a Home that somebody has opened', () => {
  let server: RedisServer;
  let slack: Playground;
  beforeAll(async () => {
    [server, slack] = await Promise.all([startRedis(), startPlayground()]);
  });
  afterAll(async () => {
    await Promise.all([server.close(), slack.close()]);
  });

  /** Bots that look for due Homes all the time, and refresh them. */
  async function startBots() {
    const world = await createCoreWorld();
    const clock = handClock(world.time.now());
    const rig = await openOnRedis(server.url, world.limits, clock);
    onTestFinished(() => rig.close());
    const web = new WebClient(SECRETS.botToken, { slackApiUrl: slack.apiUrl, logger: silent });
    const user = slack.people.member.id;
    async function startBot() {
      const tap = tapLedger(await rig.join());
      let looks = 0;
      tap.intercept('pendingWork', (real) => () => {
        looks += 1;
        return real();
      });
      let wake = (): void => {};
      const open = async () => ({ ...(await boot(world)), tap, ledger: tap.ledger });
      const { core, log } = await run(world, { open, onHomeDue: () => wake() });
      const person = { id: user, team: TEAM, isAdmin: false, isGuest: false, isOutsider: false };
      const deps = {
        web,
        log,
        team: TEAM,
        core: core.forTeam(TEAM),
        access: { person: async () => person },
        conversations: { channelsOf: async () => [{ id: CHANNEL, name: 'sales' }] },
      } as unknown as SlackDeps;
      const refresher = createHomeRefresher({ core, workspaces: { of: async () => deps }, log });
      wake = refresher.wake;
      onTestFinished(() => refresher.drain());
      return { core, deps, looks: () => looks };
    }
    const first = await startBot();
    const bots = [first, await startBot(), await startBot()];
    const instance = await addInstance(first.core);
    const change = (threshold: number) => linkTo(first.core, instance, { threshold });

    /** Resolves once every bot has looked at least twice more, and has refreshed the Homes that it found. */
    async function allHaveLooked(): Promise<void> {
      const before = bots.map(({ looks }) => looks());
      await eventually(() => {
        for (const [bot, { looks }] of bots.entries())
          expect(looks()).toBeGreaterThan((before[bot] ?? 0) + 2);
      });
    }
    return { clock, first, user, change, allHaveLooked };
  }

  test('one of them publishes each change, once, and none does if nothing has changed', async () => {
    const { clock, first, user, change, allHaveLooked } = await startBots();
    const published = () => slack.calls.filter(({ method }) => method === 'views.publish').length;
    const shown = () => textOf(slack.home(user) as object as Parameters<typeof textOf>[0]);
    await change(10);
    await openHome(first.deps, user);
    expect(published()).toBe(1);

    for (let turn = 0; turn < 3; turn += 1) {
      clock.advance(HOME_EVERY_MS);
      await allHaveLooked();
    }
    expect(published()).toBe(1);

    for (let turn = 1; turn <= 5; turn += 1) {
      // The Home changes twice within ten seconds.
      for (const threshold of [turn * 100 + 1, turn * 100 + 2]) await change(threshold);
      await allHaveLooked();
      expect(published()).toBe(turn);
      clock.advance(HOME_EVERY_MS);
      await eventually(() => expect(shown()).toContain(String(turn * 100 + 2)));
      await allHaveLooked();
      expect(published()).toBe(turn + 1);
    }
  });
});
