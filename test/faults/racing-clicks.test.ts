import { type Ephemeral, textOf } from 'slack-playground';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type RedisServer, startRedis, withoutRedis } from '../helpers/redis-server.ts';
import { type Replicas, startReplicas } from '../helpers/replicas.ts';
import { createWorld, type World } from '../helpers/world.ts';
import {
  arrivalsAt,
  draftInTime,
  historyOf,
  link,
  phoneAt,
  receiptOf,
  sendRequests,
} from '../helpers/world-steps.ts';
import { testFault } from './helpers/faults.ts';

const BOTS = 3;
/** How many clicks come at once. */
const AT_ONCE = 30;
const CLICKS_EACH = 4;
const DRAFTS_AT_ONCE = 10;
/** How long the service holds the one request, in ms. Clicks come before, during and after it. */
const HELD_MS = 700;
/** The answer to a losing click. A bot says "not finished" if it waits too long for a busy Redis. */
const TOLD = /already (sent by|pressed Send)|not finished/;

describe.skipIf(withoutRedis)('clicks that race', () => {
  let world: World;
  let redis: RedisServer;
  let bots: Replicas;
  let drafted = 0;
  /** Clicks that Slack gave up after 3 s without an ack. The bot still carries them out. */
  let late = 0;

  beforeAll(async () => {
    redis = await startRedis();
    world = await createWorld({
      sandbox: { switches: { rateLimit: 100_000 } },
      env: {
        SMS_RATE_LIMIT: '10000',
        SMS_TIMEOUT_MS: '15000',
        SMS_ATTEMPT_LEASE_MS: '30000',
        LOG_LEVEL: 'info',
      },
    });
    bots = await startReplicas(world, BOTS, { REDIS_URL: redis.url });
    world.service.setCredits(1, 100_000);
    await link(world, { values: { 'Low-credit threshold': '0' } });
  });
  afterAll(async () => {
    await bots?.close();
    await world?.close();
    await redis?.close();
  });

  async function newDraft(): Promise<{ phone: string; message: Ephemeral }> {
    const phone = phoneAt(drafted++);
    return { phone, message: await draftInTime(world, `+${phone} Hello`) };
  }

  /** A click by Slack, for a person whose screen still shows the button. */
  async function click(message: Ephemeral): Promise<void> {
    const { status, toast } = await world.slack.click({
      user: message.to,
      message,
      text: 'Send',
      forged: true,
    });
    if (toast === 'operation_timeout') late += 1;
    else expect({ status, toast }).toEqual({ status: 200, toast: null });
  }

  /** How many clicks each bot has had. */
  const clicksByBot = () =>
    bots.all.map(({ output }) => output().split('"somebody pressed Send or Send anyway"').length - 1);

  testFault(
    {
      what: 'clicks on one Send at once, at three bots, by signed HTTP',
      mustHold: 'exactly one request, one receipt; every other click is told so',
      runs: { short: 200, long: 10_000 },
    },
    async ({ runs, saw }) => {
      const { service, slack } = world;
      const { phone, message } = await newDraft();
      const requests = sendRequests(world).length;
      const before = clicksByBot();
      service.addFault({ kind: 'delay', endpoint: 'send', ms: HELD_MS });
      let left = runs;
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          for (; left > 0; await click(message)) left -= 1;
        }),
      );
      expect(await receiptOf(world, message)).toMatch(/^✅ \*Sent\*/);
      expect(sendRequests(world)).toHaveLength(requests + 1);
      expect(arrivalsAt(world, phone)).toHaveLength(1);
      const told = () => slack.ephemerals(message.to).filter((each) => TOLD.test(textOf(each))).length;
      await expect.poll(told, { interval: 250 }).toBeGreaterThanOrEqual(runs - 1);
      const receipts = slack.ephemerals(message.to).filter((each) => /^✅ \*Sent\*/.test(textOf(each)));
      expect(receipts.map(({ ts }) => ts)).toEqual([message.ts]);
      const lines = () => historyOf(world).filter((line) => line.includes('sent a text'));
      await expect.poll(lines).toHaveLength(1);
      const each = () => clicksByBot().map((count, bot) => count - (before[bot] ?? 0));
      // A process's log reaches the test a moment later.
      await expect.poll(() => each().reduce((sum, count) => sum + count)).toBe(runs);
      expect(Math.min(...each())).toBeGreaterThan(0);
      expect(slack.failures).toEqual([]);
      saw({ requests: 1, 'clicks by bot': each().join(', '), 'acknowledged after more than 3 s': late });
    },
  );

  testFault(
    {
      what: `${CLICKS_EACH} clicks at once on each of many Sends, at three bots, by signed HTTP`,
      mustHold: 'exactly one request each, one receipt each',
      runs: { short: 160, long: 10_000 },
    },
    async ({ runs, saw }) => {
      const { service, slack } = world;
      late = 0;
      slack.reload(slack.people.member.id);
      const requests = sendRequests(world).length;
      const phones: string[] = [];
      let left = runs / CLICKS_EACH;
      async function raceForOne(): Promise<void> {
        const { phone, message } = await newDraft();
        phones.push(phone);
        await Promise.all(Array.from({ length: CLICKS_EACH }, () => click(message)));
        expect(await receiptOf(world, message)).toMatch(/^✅ \*Sent\*/);
      }
      await Promise.all(
        Array.from({ length: DRAFTS_AT_ONCE }, async () => {
          for (; left > 0; await raceForOne()) left -= 1;
        }),
      );
      expect(sendRequests(world)).toHaveLength(requests + phones.length);
      const arrived = service.messages.slice(-phones.length).map(({ phone }) => phone.replace('+', ''));
      expect(arrived.sort()).toEqual(phones.sort());
      const shown = (words: RegExp) =>
        slack
          .ephemerals(slack.people.member.id)
          .map(textOf)
          .filter((text) => words.test(text));
      await expect
        .poll(() => shown(TOLD).length, { interval: 250 })
        .toBeGreaterThanOrEqual((CLICKS_EACH - 1) * phones.length);
      expect(numbersIn(shown(/^✅ \*Sent\*/))).toEqual(phones);
      expect(slack.failures).toEqual([]);
      saw({
        drafts: phones.length,
        requests: sendRequests(world).length - requests,
        'acknowledged after more than 3 s': late,
      });
    },
  );
});

/** The numbers in messages, in digits and in order. */
function numbersIn(texts: string[]): string[] {
  return texts.map((text) => (/\+[\d ]+\d/.exec(text)?.[0] ?? text).replace(/\D/g, '')).sort();
}
