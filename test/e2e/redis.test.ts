import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxOptions } from 'credit-sandbox';
import { textOf } from 'slack-playground';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { type OutboxDocument, outbox } from '../../src/ledger/outbox/outbox-documents.ts';
import { connect } from '../../src/store/redis/connect.ts';
import { dumpRedis } from '../helpers/dump-store.ts';
import { type RedisServer, startRedis, withoutRedis } from '../helpers/redis-server.ts';
import { type Replicas, startReplicas } from '../helpers/replicas.ts';
import { sideBySide } from '../helpers/side-by-side.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { cardSaying, confirmBulk, draftBulk, fileFor } from '../helpers/world-bulk.ts';
import {
  arrivalsAt,
  ask,
  draft,
  eventually,
  historyOf,
  link,
  phoneAt,
  press,
  receiptOf,
  sendRequests,
  sendText,
  timesTexted,
} from '../helpers/world-steps.ts';

/** Some bots on one Redis, behind one address. */
interface Shared {
  world: World;
  redis: RedisServer;
  bots: Replicas;
}

/** Long enough for a busy machine to answer in time. */
const LEASE_MS = 9000;
const POLL_MS = 1000;
/** Polls that the bots of an account make one after another. */
const POLLS = 6;
const CREDITS = 1000;
/** A few texts bring the credits below this. */
const THRESHOLD = 994;
const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  await Promise.all(closing.map((close) => close()));
});

async function start(
  options: { env?: Record<string, string>; sandbox?: SandboxOptions; threshold?: number } = {},
): Promise<Shared> {
  const redis = await startRedis();
  const world = await createWorld({
    sandbox: options.sandbox ?? { switches: { rateLimit: 100_000 } },
    env: { SMS_RATE_LIMIT: '10000', ...options.env },
  });
  const bots = await startReplicas(world, 2, { REDIS_URL: redis.url });
  closing.push(async () => {
    await bots.close();
    await world.close();
    await redis.close();
  });
  world.service.setCredits(1, CREDITS);
  await link(world, { values: { 'Low-credit threshold': String(options.threshold ?? 0) } });
  return { world, redis, bots };
}

/** Resolves once no message to Slack is due or being posted. */
async function allPosted({ redis }: Shared): Promise<void> {
  const { client, close } = await connect(redis.url);
  const rowsLeft = async () => {
    const { documents } = await dumpRedis(client, 'switchboard:ledger:');
    const rows = documents.filter(({ collection }) => collection === outbox.name);
    return rows.filter(({ value }) => (value as OutboxDocument).waiting);
  };
  try {
    await vi.waitFor(async () => expect(await rowsLeft()).toEqual([]), { timeout: 20_000 });
  } finally {
    close();
  }
}

/** If a test fails, shows the bots' last log lines. */
function showOnFailure(shared: () => Shared): void {
  afterEach(({ task }) => {
    if (task.result?.state !== 'fail') return;
    for (const { output } of shared().bots.all) process.stderr.write(`${output().slice(-3000)}\n`);
  });
}

sideBySide(
  'two bots on one Redis',
  () => {
    let shared: Shared;
    beforeAll(async () => {
      shared = await start({
        env: { BULK_CHUNK_SIZE: '2', BALANCE_POLL_MS: String(POLL_MS) },
        threshold: THRESHOLD,
      });
    });
    showOnFailure(() => shared);

    it('both together make one poll an account and interval', async () => {
      const { world } = shared;
      const { requests } = world.service;
      const from = requests.length;
      const polls = () => world.service.requests.slice(from).filter(({ endpoint }) => endpoint === 'balance');
      await eventually(() => polls().length >= POLLS);
      const at = polls().map(({ monotonicMs }) => monotonicMs);
      // Two bots that poll independently would take half as long. A busy machine may be late with the first poll.
      const tookMs = (at[POLLS - 1] as number) - (at[0] as number);
      expect(tookMs).toBeGreaterThan((POLL_MS * POLLS) / 2);
    });

    it('the story: link, balance, send, receipt, at either bot', async () => {
      const { world, bots } = shared;
      for (let at = 0; at < 4; at += 1) {
        expect(await ask(world, 'balance')).toContain('credits');
        expect(await sendText(world, `+44207946150${at} Hello`)).toMatch(/^✅ \*Sent\*/);
      }
      for (const { output } of bots.all) await eventually(() => output().includes('request settled'));
      expect(world.slack.failures).toEqual([]);
    });

    it('one warning an episode, whoever sees the credits fall', async () => {
      const { world } = shared;
      for (let at = 0; at < CREDITS - THRESHOLD + 2; at += 1) {
        await sendText(world, `+4420794615${20 + at} Hello`);
      }
      const warnings = () => historyOf(world).filter((line) => /below/i.test(line));
      await eventually(() => warnings().length > 0);
      // In these seconds, each bot polls.
      await sleep(2500);
      expect(warnings()).toHaveLength(1);
    });

    it('after one 429 the key rests for both; then everything goes on by itself', async () => {
      const restMs = 6000;
      const { world, bots } = shared;
      const { service } = world;
      const job = await draftBulk(world, {
        recipients: Array.from({ length: 6 }, (_, at) => `+${phoneAt(at)}`).join('\n'),
        message: 'Hello',
      });
      const texts: Awaited<ReturnType<typeof draft>>[] = [];
      for (let at = 0; at < 3; at += 1) texts.push(await draft(world, `+44207946155${at} Hello`));
      service.addFault({
        kind: 'answer',
        endpoint: 'send',
        when: 'before',
        status: 429,
        headers: { 'Retry-After': String(restMs / 1000) },
      });
      const [first, ...others] = texts as [(typeof texts)[0], ...typeof texts];
      await press(world, first, 'Send');
      // From here on, both bots can know of the rest.
      expect(await receiptOf(world, first)).toMatch(/^⏸ \*Waiting\*.*asked for a pause/s);
      const turnedAway = sendRequests(world).at(-1);
      const from = service.requests.length;
      await confirmBulk(world, job);
      for (const [at, text] of others.entries()) {
        bots.callOnly(bots.all[at]);
        await press(world, text, 'Send');
        await ask(world, 'balance');
      }
      bots.callOnly(undefined);
      const words = (text: (typeof texts)[0]) =>
        textOf(world.slack.ephemerals(text.to).find(({ ts }) => ts === text.ts) ?? text);
      await vi.waitFor(
        () => expect(texts.map(words)).toEqual(texts.map(() => expect.stringMatching(/^✅ \*Sent\*/))),
        60_000,
      );
      await cardSaying(world, /\*Finished\*/);
      const [next] = service.requests.slice(from);
      const quietMs = (next?.monotonicMs ?? 0) - (turnedAway?.monotonicMs ?? 0);
      expect(quietMs).toBeGreaterThanOrEqual(restMs);
      expect(service.requests.filter(({ status }) => status === 429)).toHaveLength(1);
      for (let at = 0; at < 6; at += 1) expect(arrivalsAt(world, phoneAt(at)), String(at)).toHaveLength(1);
    });
  },
  withoutRedis,
);

sideBySide(
  'two bots on one Redis, one of which is killed',
  () => {
    let shared: Shared;
    beforeAll(async () => {
      const waits = { SMS_TIMEOUT_MS: String(LEASE_MS - 1000), SMS_ATTEMPT_LEASE_MS: String(LEASE_MS) };
      shared = await start({ env: { BULK_CHUNK_SIZE: '5', ...waits } });
    });
    showOnFailure(() => shared);

    it('amid a job of both: nobody is texted twice, and everybody has one outcome', async ({ annotate }) => {
      const recipients = 600;
      const { world, bots } = shared;
      const { service, slack } = world;
      service.setCredits(1, 10_000);
      const lines = Array.from({ length: recipients }, (_, at) => `+${phoneAt(at)},Name ${at}`);
      const preview = await draftBulk(world, {
        file: { name: 'list.csv', bytes: ['phone,name', ...lines].join('\n') },
        message: 'Hello {name}',
      });
      service.addFault({ kind: 'delay', endpoint: 'bulk', ms: 250, when: 'before', times: 'always' });
      await confirmBulk(world, preview);
      await eventually(() => service.messages.length > recipients / 5);
      await bots.all[0]?.kill();
      for (;;) {
        const card = await cardSaying(world, /\*(Paused|Finished)\*/, 60_000);
        if (/\*Finished\*/.test(textOf(card))) break;
        await slack.click({ user: slack.people.member, message: card, text: 'Resume' });
        await cardSaying(world, /\*(Sending|Finished)\*/);
      }
      const arrived = timesTexted(world);
      expect(Math.max(...arrived.values())).toBe(1);
      const [, ...outcomes] = await eventually(() => fileFor(world, slack.people.member, /results/));
      expect(outcomes).toHaveLength(recipients);
      const tally: Record<string, number> = {};
      for (const [phone = '', , outcome = ''] of outcomes) {
        tally[outcome] = (tally[outcome] ?? 0) + 1;
        if (outcome === 'sent') expect(arrived.get(phone.replace(/\D/g, '')), phone).toBe(1);
      }
      expect(Object.keys(tally).filter((word) => word !== 'sent' && word !== 'unknown')).toEqual([]);
      // The killed bot had at most sixteen requests in flight.
      expect(tally.unknown ?? 0).toBeLessThanOrEqual(16 * 5);
      await annotate(JSON.stringify(tally));
    });

    it('in mid-send: the other takes over within two leases and says unknown', async ({ annotate }) => {
      const { world, bots } = shared;
      await bots.add();
      const { service } = world;
      service.clearFaults();
      service.addFault({ kind: 'hang', when: 'after', endpoint: 'send' });
      const before = sendRequests(world).length;
      const [, holder, other] = bots.all;
      const preview = await draft(world, '+442079461511 In the middle');
      bots.callOnly(holder);
      await press(world, preview, 'Send');
      await eventually(() => sendRequests(world).length === before + 1);
      // A row that a dead bot was posting waits for its lease of half a minute. So post "Sending…" before the kill.
      await eventually(() => holder?.output().includes('"row":"receipt:'));
      await allPosted(shared);
      const begun = performance.now();
      await holder?.kill();
      // The balance may tell at once that something was charged.
      expect(await receiptOf(world, preview, 3 * LEASE_MS)).toMatch(/^⚠️ \*Unknown/);
      const took = performance.now() - begun;
      expect(took).toBeLessThan(2 * LEASE_MS);
      expect(arrivalsAt(world, '442079461511')).toHaveLength(1);
      expect(await sendText(world, '+442079461512 And on')).toMatch(/^✅ \*Sent\*/);
      await eventually(() => other?.output().includes('request settled'));
      expect(sendRequests(world).slice(before)).toHaveLength(2);
      await annotate(`unknown was said ${Math.round(took)} ms after the request was there`);
    });
  },
  withoutRedis,
);

sideBySide(
  'two bots on one Redis, whose requests are limited',
  () => {
    it('never more than the limit in any window, over both', async ({ annotate }) => {
      const [permits, windowMs] = [12, 800];
      const { world } = await start({
        sandbox: { switches: { rateLimit: permits, rateWindowMs: windowMs } },
        env: {
          SMS_RATE_LIMIT: String(permits),
          SMS_RATE_WINDOW_MS: String(windowMs),
          BALANCE_POLL_MS: '1000',
          BULK_CHUNK_SIZE: '1',
        },
      });
      const { service } = world;
      const preview = await draftBulk(world, {
        recipients: Array.from({ length: 60 }, (_, at) => `+${phoneAt(at)}`).join('\n'),
        message: 'Hello',
      });
      await confirmBulk(world, preview);
      for (let at = 0; at < 5; at += 1) {
        expect(await sendText(world, `+44207946154${at} Hello`)).toMatch(/^✅ \*Sent\*|Waiting/);
      }
      await cardSaying(world, /\*Finished\*/, 60_000);
      const at = service.requests.map((each) => each.monotonicMs).sort((a, b) => a - b);
      const most = Math.max(
        ...at.map((from) => at.filter((each) => each >= from && each < from + windowMs).length),
      );
      expect(most).toBeLessThanOrEqual(permits);
      expect(service.requests.filter(({ status }) => status === 429)).toEqual([]);
      for (let i = 0; i < 60; i += 1) expect(arrivalsAt(world, phoneAt(i)), String(i)).toHaveLength(1);
      await annotate(`${at.length} requests, at most ${most} of ${permits} in ${windowMs} ms`);
    });
  },
  withoutRedis,
);
