import { type Ephemeral, textOf } from 'slack-playground';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type BotsOnRedis, startBotsOnRedis } from '../helpers/bots-on-redis.ts';
import { withoutRedis } from '../helpers/redis-server.ts';
import type { World } from '../helpers/world.ts';
import { saveLimits } from '../helpers/world-limits.ts';
import { ask, draftInTime, eventually, phoneAt, press, sendRequests } from '../helpers/world-steps.ts';

const DRAFTS = 64;
const BUDGET = 20;

describe.skipIf(withoutRedis)('a budget under 64 decisions at once, at three bots, by signed HTTP', () => {
  let world: World;
  let shared: BotsOnRedis;

  beforeAll(async () => {
    shared = await startBotsOnRedis();
    world = shared.world;
    await saveLimits(world, { 'Monthly budget (credits)': String(BUDGET) });
  });
  afterAll(() => shared?.close());
  afterEach((context) => shared.showIfFailed(context));

  it('lets exactly as many texts go as it has credits, and each of the others gets an answer', async () => {
    const { slack, service } = world;
    const drafts: Ephemeral[] = [];
    for (let i = 0; i < DRAFTS; i += 1) {
      drafts.push(await draftInTime(world, `+${phoneAt(i)} Hello`));
    }
    await Promise.all(drafts.map((draft) => press(world, draft, 'Send')));
    const shown = () => slack.ephemerals(slack.people.member.id).map(textOf);
    const count = (words: RegExp) => shown().filter((text) => words.test(text)).length;
    const refused = /Over budget|not finished/;
    await eventually(() => count(/^✅ \*Sent/) + count(refused) === DRAFTS, 60_000);
    // A bot that waits too long for a busy Redis says so. The person presses once more.
    for (const draft of count(/not finished/) === 0 ? [] : drafts) {
      const now = slack.ephemerals(draft.to).find(({ ts }) => ts === draft.ts);
      if (now && textOf(now).includes('[Send]')) await press(world, draft, 'Send');
    }
    await eventually(() => count(/^✅ \*Sent/) === BUDGET, 60_000);
    expect(sendRequests(world)).toHaveLength(BUDGET);
    expect(service.messages).toHaveLength(BUDGET);
    expect(await ask(world, 'balance')).toContain(`0 of ${BUDGET} credits left this month`);
    expect(count(/has 0 of 20 left this month/)).toBeGreaterThan(0);
    expect(slack.failures).toEqual([]);
  });
});
