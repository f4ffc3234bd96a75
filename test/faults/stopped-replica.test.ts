import { setTimeout as sleep } from 'node:timers/promises';
import type { Endpoint } from 'credit-sandbox';
import { textOf } from 'slack-playground';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { between, createDice, type Dice } from '../helpers/dice.ts';
import { type RedisServer, startRedis, withoutRedis } from '../helpers/redis-server.ts';
import { type Replica, type Replicas, startReplicas } from '../helpers/replicas.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { eventually, link } from '../helpers/world-steps.ts';
import { testFault } from './helpers/faults.ts';
import { createJobAfterJob } from './helpers/job-after-job.ts';
import { type TextWatch, type WatchedText, watchTexts } from './helpers/watch-texts.ts';

const TIMEOUT_MS = 600;
const LEASE_MS = 1100;
/** How long the service holds a job's requests, and at most a text's, in ms. */
const JOB_HELD_MS = 150;
const TEXT_HELD_MS = 350;
const CHUNK = 3;
const TEXTS = 3;
/** A woken bot says within this time what happened to its texts, in ms. */
const SETTLES_MS = 20_000;

/** At which point of a text's way its bot is stopped. */
const MOMENTS = ['held', 'leaving', 'answered', 'balance', 'idle'] as const;
type Moment = (typeof MOMENTS)[number];

describe.skipIf(withoutRedis)('one of three bots is stopped for longer than a lease', () => {
  let world: World;
  let redis: RedisServer;
  let bots: Replicas;
  let texts: TextWatch;
  const frozen = new Set<Replica>();

  beforeAll(async () => {
    redis = await startRedis();
    world = await createWorld({
      sandbox: { switches: { rateLimit: 100_000 } },
      env: {
        SMS_RATE_LIMIT: '10000',
        SMS_TIMEOUT_MS: String(TIMEOUT_MS),
        SMS_ATTEMPT_LEASE_MS: String(LEASE_MS),
        BULK_CHUNK_SIZE: String(CHUNK),
        BALANCE_POLL_MS: '1000',
        LOG_LEVEL: 'info',
      },
    });
    const { service } = world;
    service.setCredits(1, 1_000_000);
    service.addFault({ kind: 'delay', endpoint: 'bulk', ms: JOB_HELD_MS, times: 'always' });
    bots = await startReplicas(world, 3, { REDIS_URL: redis.url });
    await link(world, { values: { 'Low-credit threshold': '0' } });
    texts = watchTexts(world);
  });
  afterAll(async () => {
    texts?.end();
    await bots?.close();
    await world?.close();
    await redis?.close();
  });

  /** Resolves in the same turn as the next such request reaches the service, or after five seconds without one. */
  function requestTo(endpoint: Endpoint): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        end();
        resolve();
      };
      const timer = setTimeout(done, 5000);
      const end = world.service.on('request', (request) => {
        if (request.endpoint === endpoint) done();
      });
    });
  }

  /** Presses Send, even if the button is gone. If Slack gets an ack, it must get an answer too. */
  async function click({ preview }: WatchedText): Promise<void> {
    const pressed = await world.slack.click({
      user: preview.to,
      message: preview,
      text: 'Send',
      forged: true,
    });
    if (pressed.status === 200) await pressed.reply(SETTLES_MS);
  }

  /**
   * Brings the bot to that moment with these texts in its hands, and stops it there. `answered` resolves when every
   * request to the bot has its answer.
   */
  async function stopAt(moment: Moment, bot: Replica, held: WatchedText[], dice: Dice) {
    const { service, slack } = world;
    const { people, channels } = slack;
    const ms = Math.round(between(dice, 100, TEXT_HELD_MS));
    const when = dice() < 0.5 ? 'before' : 'after';
    if (moment === 'held') service.addFault({ kind: 'delay', endpoint: 'send', ms, when, times: TEXTS });
    if (moment === 'balance') service.addFault({ kind: 'delay', endpoint: 'balance', ms, when });
    bots.callOnly(bot);
    const asks = held.map(click);
    if (moment === 'balance') {
      const asked = slack.command({ user: people.member, channel: channels.sales, text: 'balance' });
      asks.push(asked.then(async (command) => void (await command.reply(SETTLES_MS))));
    }
    if (moment === 'leaving') await sleep(between(dice, 0, 30));
    if (moment === 'held') await requestTo('send').then(() => sleep(between(dice, 0, 100)));
    if (moment === 'answered') await requestTo('send');
    if (moment === 'balance') await requestTo('balance');
    if (moment === 'idle') await sleep(between(dice, 0, 200));
    frozen.add(bot);
    bot.freeze();
    bots.callOnly(undefined);
    return { answered: Promise.all(asks), frozenAt: performance.now() };
  }

  /**
   * Waits until people have read about every text that reached the service, or until a busy machine has had time enough.
   * The stopped bot itself may hold that message.
   */
  async function othersHaveTold(held: WatchedText[]): Promise<void> {
    const isTold = ({ reachedAt, words }: WatchedText) => reachedAt === undefined || words.length > 0;
    await eventually(() => held.every(isTold), 4000).catch(() => {});
  }

  /** All words that the person sees, with the draft or its receipt. */
  function shownTo({ preview }: WatchedText): string {
    return world.slack
      .ephemerals(preview.to)
      .map((one) => `${one.ts} ${textOf(one)}`)
      .join('\n');
  }

  function warnings(): string {
    const lines = bots.all.flatMap(({ output }) => output().split('\n'));
    return lines.filter((line) => /"level":"?(?:warn|error|[4-6]0)/.test(line)).join('\n');
  }

  /** People hear how the text ended, and what the woken bot knew about it counts. */
  async function hasEnded(text: WatchedText, frozenAt: number, thawnAt: number): Promise<void> {
    // A person who reads "not finished" presses again.
    for (const until = performance.now() + SETTLES_MS; text.words.length === 0; ) {
      if (performance.now() > until) break;
      await click(text);
      await sleep(500);
    }
    const { reachedAt, answeredAt } = text;
    // This bot made the request and had not given it up when it stopped. The answer was there when it woke.
    const isKnown =
      reachedAt !== undefined &&
      answeredAt !== undefined &&
      reachedAt <= frozenAt &&
      frozenAt < reachedAt + TIMEOUT_MS / 2 &&
      answeredAt < thawnAt;
    const isTold = () => text.words.length > 0 && (!isKnown || text.words.at(-1) === 'Sent');
    await eventually(isTold, SETTLES_MS).catch(() => {
      const since = (at: number | undefined) => at && Math.round(at - frozenAt);
      const times = { reached: since(reachedAt), answered: since(answeredAt), woken: since(thawnAt) };
      const ms = `ms after the stop: ${JSON.stringify({ isKnown, ...times })}`;
      throw new Error(`“${text.words}”; ${ms}\n${shownTo(text)}\n${warnings()}`);
    });
  }

  function check({ words, arrivals, arrivalsWhenUnknown, preview }: WatchedText): void {
    const what = `${preview.ts}: ${words.join(', ')}; arrived ${arrivals} times`;
    // Only a late truth may follow another outcome: the text was sent, or its request never began.
    const may = ['Sent', 'Unknown', 'Not sent', 'Unknown, Sent', 'Unknown, Not sent'];
    expect(may, what).toContain(words.join(', '));
    const times = { Sent: [1], Unknown: [0, 1], 'Not sent': [0] }[words.at(-1) as string];
    expect(times, what).toContain(arrivals);
    // After people read that a text is unknown, it must not be sent.
    if (arrivalsWhenUnknown !== undefined) expect(arrivals, what).toBe(arrivalsWhenUnknown);
  }

  testFault(
    {
      what: 'one of three bots stands still for longer than a lease (SIGSTOP)',
      mustHold: 'nobody texted twice; an answer that comes late corrects the receipt',
      runs: { short: 6, long: 500 },
    },
    async ({ runs, isLong, saw }) => {
      const dice = createDice(runs);
      const jobs = createJobAfterJob(world);
      const endings: Promise<void>[] = [];
      const fails: string[] = [];
      let isJobOver = true;
      const note = (ending: Promise<void>) =>
        void endings.push(ending.catch((error: unknown) => void fails.push(String(error))));

      for (let run = 0; run < runs; run += 1) {
        const bot = bots.all[run % bots.all.length] as Replica;
        await eventually(() => !frozen.has(bot) && frozen.size < 2);
        if (isJobOver) {
          isJobOver = false;
          const { ended } = await jobs.begin(isLong ? 1500 : 300);
          note(ended.finally(() => (isJobOver = true)));
        }
        const moment = MOMENTS[run % MOMENTS.length] as Moment;
        const held: WatchedText[] = [];
        for (let n = 0; n < TEXTS && moment !== 'idle' && moment !== 'balance'; n += 1) {
          held.push(await texts.draft(`+44207946${String((run * TEXTS + n) % 1000).padStart(4, '0')}`));
        }
        const { answered, frozenAt } = await stopAt(moment, bot, held, dice);
        // A person who sees no change presses once more, and another bot gets this click.
        const pressedAgain = held.slice(0, 1).map(click);
        // Wait longer than a lease. In the short form, also wait until the others have said what they know.
        const beyondLease = sleep(LEASE_MS + between(dice, 50, 1600));
        const mayWake = isLong ? beyondLease : beyondLease.then(() => othersHaveTold(held));
        note(
          mayWake.then(async () => {
            frozen.delete(bot);
            bot.thaw();
            const thawnAt = performance.now();
            await Promise.all([answered, ...pressedAgain]);
            await Promise.all(held.map((text) => hasEnded(text, frozenAt, thawnAt)));
          }),
        );
        expect(fails).toEqual([]);
      }
      await Promise.all(endings);
      expect(fails).toEqual([]);

      for (const text of texts.all) check(text);
      for (const bot of bots.all) {
        await expect.poll(async () => (await bot.readiness()).status).toBe(200);
      }
      expect(world.slack.failures).toEqual([]);
      const late = texts.all.filter(({ words }) => words.join() === 'Unknown,Sent').length;
      const log = bots.all.map(({ output }) => output()).join('');
      const tooLate = log.split('"cause":"too_late"').length - 1;
      expect(late).toBeGreaterThan(0);
      if (isLong) expect(tooLate).toBeGreaterThan(0);
      const count = (word: string) => texts.all.filter(({ words }) => words.at(-1) === word).length;
      saw({
        texts: texts.all.length,
        'told as unknown, then sent by a late answer': late,
        'still unknown': count('Unknown'),
        'not sent': count('Not sent'),
        'too late to leave': tooLate,
        'recipients of jobs': jobs.seen.recipients,
        'of them unknown': jobs.seen.unknown,
      });
    },
  );
});
