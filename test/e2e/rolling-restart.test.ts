import { setTimeout as sleep } from 'node:timers/promises';
import { type Ephemeral, type Reaction, textOf } from 'slack-playground';
import { afterAll, describe, expect, it } from 'vitest';
import { type RedisServer, startRedis, withoutRedis } from '../helpers/redis-server.ts';
import { type Replicas, startReplicas } from '../helpers/replicas.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { cardOf, cardSaying, confirmBulk, draftBulk, fileFor } from '../helpers/world-bulk.ts';
import { arrivalsAt, eventually, link, phoneAt, receiptOf } from '../helpers/world-steps.ts';
import { type Balancer, startBalancer } from './helpers/balancer.ts';

const RECIPIENTS = 1200;
/** How long the service holds each request of the job, in ms. The job must outlast the restarts. */
const HELD_MS = 1200;
/** Every answer takes less than this, also on a busy machine. */
const ANSWERED_MS = 30_000;

const typed = (place: number) => `4420794${String(60_000 + place)}`;
const closing: (() => Promise<void> | void)[] = [];
afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});

/**
 * People who type and click without a pause until `rest`. `rest` resolves when each request has its answer. It rejects
 * if a request has none, or if Slack calls one failed.
 */
function startPeople(world: World) {
  const { slack } = world;
  /** How long each of Slack's requests waited for its ack, in ms. */
  const asked: { what: string; ms: number }[] = [];
  const sent: string[] = [];
  const answered = { balances: 0, receipts: 0 };
  let isResting = false;
  const user = slack.people.member;
  const channel = slack.channels.sales;

  async function note(what: string, reaction: Promise<Reaction>): Promise<Reaction> {
    const { status, toast, ms } = await reaction;
    asked.push({ what, ms });
    expect({ what, status, toast }).toEqual({ what, status: 200, toast: null });
    return reaction;
  }

  async function askBalance(): Promise<void> {
    const command = await note('balance', slack.command({ user, channel, text: 'balance' }));
    expect(textOf(await command.reply(ANSWERED_MS))).toContain('credits');
    answered.balances += 1;
  }

  async function sendText(): Promise<void> {
    const number = typed(sent.length);
    sent.push(number);
    const command = await note('send', slack.command({ user, channel, text: `send +${number} Hello` }));
    const preview = (await command.reply(ANSWERED_MS)) as Ephemeral;
    await note('Send', slack.click({ user, message: preview, text: 'Send' }));
    expect(await receiptOf(world, preview, ANSWERED_MS)).toMatch(/^✅ \*Sent\*/);
    answered.receipts += 1;
  }

  async function again(act: () => Promise<void>): Promise<void> {
    while (!isResting) {
      await act();
      await sleep(40);
    }
  }

  const working = Promise.all([again(askBalance), again(sendText), again(sendText)]);
  // A failure is reported at the end.
  working.catch(() => undefined);
  return {
    asked,
    sent,
    answered,
    /** Many requests at once, right after a signal. */
    crowd: () => Promise.all([askBalance(), askBalance(), askBalance(), sendText(), sendText(), sendText()]),
    async rest(): Promise<void> {
      isResting = true;
      await working;
    },
  };
}

describe.skipIf(withoutRedis)('a rolling restart of three bots', () => {
  it('under load loses no request, texts nobody twice and leaves nothing unknown', async ({ annotate }) => {
    const { world, bots, balancer } = await start();
    const { service, slack } = world;
    service.addFault({ kind: 'delay', endpoint: 'bulk', ms: HELD_MS, when: 'after', times: 'always' });
    const lines = Array.from({ length: RECIPIENTS }, (_, at) => `+${phoneAt(at)},Name ${at}`);
    const preview = await draftBulk(world, {
      file: { name: 'list.csv', bytes: ['phone,name', ...lines].join('\n') },
      message: 'Hello {name}',
    });
    await confirmBulk(world, preview);
    await cardSaying(world, /\*Sending\*/);
    const people = startPeople(world);

    let late = 0;
    for (const bot of bots.all.slice(0, 3)) {
      const before = balancer.handedTo(bot);
      const ended = bot.stop();
      await people.crowd();
      expect(await ended, bot.output().slice(-2000)).toBe(0);
      late += balancer.handedTo(bot) - before;
      expect(textOf(cardOf(world) as never)).toMatch(/\*Sending\*/);
      await bots.add();
    }
    await people.rest();
    service.clearFaults();

    // A balancer learns of a signal late. The bot served what came until then.
    expect(late).toBeGreaterThan(0);
    expect(Math.max(...people.asked.map(({ ms }) => ms))).toBeLessThan(3000);
    for (const number of people.sent) expect(arrivalsAt(world, number), number).toHaveLength(1);

    await cardSaying(world, /\*Finished\*/, 60_000);
    const [, ...rows] = await eventually(() => fileFor(world, slack.people.member, /results/));
    expect(rows.map(([, , outcome]) => outcome)).toEqual(lines.map(() => 'sent'));
    expect(service.messages).toHaveLength(RECIPIENTS + people.sent.length);
    expect(new Set(service.messages.map(({ phone }) => phone)).size).toBe(service.messages.length);
    expect(slack.failures).toEqual([]);
    const { balances, receipts } = people.answered;
    await annotate(
      `${people.asked.length} requests of Slack, ${late} of them after a signal; ${balances} balances, ${receipts} receipts`,
    );
  }, 150_000);
});

async function start(): Promise<{ world: World; redis: RedisServer; bots: Replicas; balancer: Balancer }> {
  const redis = await startRedis();
  closing.push(() => redis.close());
  const world = await createWorld({
    sandbox: { switches: { rateLimit: 100_000 } },
    env: {
      SMS_RATE_LIMIT: '10000',
      SMS_TIMEOUT_MS: '4000',
      SMS_ATTEMPT_LEASE_MS: '6000',
      BULK_CHUNK_SIZE: '2',
    },
  });
  closing.push(() => world.close());
  const bots = await startReplicas(world, 3, { REDIS_URL: redis.url });
  closing.push(() => bots.close());
  const balancer = await startBalancer(world, bots.all);
  closing.push(() => balancer.close());
  world.service.setCredits(1, 100_000);
  await link(world, { values: { 'Low-credit threshold': '0' } });
  return { world, redis, bots, balancer };
}
