import { type Message, textOf } from 'slack-playground';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type RedisServer, startRedis, withoutRedis } from '../helpers/redis-server.ts';
import { type Replicas, startReplicas } from '../helpers/replicas.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { cardSaying, confirmBulk, draftBulk, fileFor } from '../helpers/world-bulk.ts';
import {
  arrivalsAt,
  eventually,
  link,
  phoneAt,
  sendRequests,
  timesTexted,
  UNFINISHED,
} from '../helpers/world-steps.ts';

const RECIPIENTS = 450;
const CHUNK = 5;
const OPT_OUTS = 18;

describe.skipIf(withoutRedis)('opt-outs at three bots on one Redis, by signed HTTP', () => {
  let world: World;
  let redis: RedisServer;
  let bots: Replicas;

  beforeAll(async () => {
    redis = await startRedis();
    world = await createWorld({
      sandbox: { switches: { rateLimit: 100_000 } },
      env: {
        SMS_RATE_LIMIT: '10000',
        BULK_CHUNK_SIZE: String(CHUNK),
        SMS_BULK_MIN_RECIPIENTS: '2',
        SMS_TIMEOUT_MS: '15000',
        SMS_ATTEMPT_LEASE_MS: '30000',
      },
    });
    bots = await startReplicas(world, 3, { REDIS_URL: redis.url });
    world.service.setCredits(1, 100_000);
    await link(world, { values: { 'Low-credit threshold': '0' } });
  });
  afterAll(async () => {
    await bots?.close();
    await world?.close();
    await redis?.close();
  });
  afterEach(({ task }) => {
    if (task.result?.state !== 'fail') return;
    for (const { output } of bots.all) process.stderr.write(`${output().slice(-3000)}\n`);
  });

  /** Opts a number out; resolves with the moment of the bot's answer, ms since 1970. */
  async function optOut(phone: string): Promise<number> {
    const { slack } = world;
    const asked = { user: slack.people.admin, channel: slack.channels.sales, text: `optout +${phone}` };
    const command = await slack.command(asked);
    const answer = textOf(await command.reply());
    // People type it again if the bot could not use its store in time.
    if (UNFINISHED.test(answer)) return optOut(phone);
    expect(answer).toContain('is opted out.');
    return Date.now();
  }

  it('while a list runs: no request that begins after the answer texts them, whichever bot gave the answer', async () => {
    const { slack, service } = world;
    const phones = Array.from({ length: RECIPIENTS }, (_, place) => phoneAt(place));
    const bytes = ['phone', ...phones.map((phone) => `+${phone}`)].join('\n');
    const preview = await draftBulk(world, { file: { name: 'list.csv', bytes }, message: 'Hello' });
    service.addFault({ kind: 'delay', endpoint: 'bulk', ms: 800, when: 'before', times: 'always' });
    await confirmBulk(world, preview);
    await eventually(() => service.requests.some(({ endpoint }) => endpoint === 'bulk'));

    // By then the bot has sent some texts, but not most.
    const out = Array.from({ length: OPT_OUTS }, (_, at) => phoneAt(at * Math.floor(RECIPIENTS / OPT_OUTS)));
    const answeredAt = new Map<string, number>();
    for (const [place, bot] of bots.all.entries()) {
      bots.callOnly(bot);
      const here = out.filter((_, at) => at % bots.all.length === place);
      await Promise.all(here.map(async (phone) => answeredAt.set(phone, await optOut(phone))));
      expect(bot.output()).toContain('"command":"optout"');
    }
    bots.callOnly(undefined);
    service.clearFaults();
    const card = textOf(await cardSaying(world, /\*Finished\*/, 60_000));

    const startOf = new Map(service.requests.map(({ id, at }) => [id, at]));
    for (const phone of out) {
      for (const { request } of arrivalsAt(world, phone)) {
        expect(startOf.get(request), phone).toBeLessThanOrEqual(answeredAt.get(phone) ?? 0);
      }
    }
    const held = out.filter((phone) => arrivalsAt(world, phone).length === 0);
    expect(held.length).toBeGreaterThan(0);
    const times = timesTexted(world);
    for (const phone of phones) expect(times.get(phone) ?? 0, phone).toBe(held.includes(phone) ? 0 : 1);

    expect(card).toMatch(new RegExp(`Sent\\W+${RECIPIENTS - held.length}\\W`));
    expect(card).toMatch(new RegExp(`Opted out\\W+${held.length}\\W`));
    const rows = await eventually(() => fileFor(world, slack.people.member, /results/));
    expect(rows).toHaveLength(RECIPIENTS + 1);
    const barred = rows.filter((row) => row.includes('not sent: opted out'));
    expect(barred.map(([phone = '']) => phone.replace(/\D/g, ''))).toEqual(held);
    expect(sendRequests(world)).toEqual([]);
    expect(slack.failures).toEqual([]);
  });

  it('while each bot sends its own list: one opt-out holds for all three', async () => {
    const { slack, service } = world;
    const before = service.requests.length;
    const phones = Array.from({ length: 300 }, (_, place) => `4477018${String(place).padStart(5, '0')}`);
    const out = phones[250] ?? '';
    const bytes = ['phone', ...phones.map((phone) => `+${phone}`)].join('\n');
    const previews = [];
    for (const place of bots.all.keys()) {
      const file = { name: `list-${place}.csv`, bytes };
      previews.push(await draftBulk(world, { file, message: `Hello ${place}` }));
    }
    service.addFault({ kind: 'delay', endpoint: 'bulk', ms: 1200, when: 'before', times: 'always' });
    const logged = bots.all.map(({ output }) => output().length);
    const haveAllSent = () =>
      bots.all.every(({ output }, place) => output().slice(logged[place]).includes('"request settled"'));
    for (const [place, preview] of previews.entries()) {
      bots.callOnly(bots.all[place]);
      await confirmBulk(world, preview);
    }
    bots.callOnly(undefined);
    await eventually(haveAllSent);
    const answeredAt = await optOut(out);
    service.clearFaults();
    await slack.waitFor(
      () => slack.history(slack.channels.sales.id).filter(isFinished).length === previews.length,
      60_000,
    );

    const startOf = new Map(service.requests.slice(before).map(({ id, at }) => [id, at]));
    const arrived = arrivalsAt(world, out);
    for (const { request } of arrived) expect(startOf.get(request)).toBeLessThanOrEqual(answeredAt);
    expect(arrived.length).toBeLessThan(previews.length);
    const times = timesTexted(world);
    for (const phone of phones)
      expect(times.get(phone), phone).toBe(phone === out ? arrived.length || undefined : previews.length);
    const cards = slack.history(slack.channels.sales.id).filter(isFinished).map(textOf);
    const sent = cards.map((card) => Number(/Sent\W+(\d+)/.exec(card)?.[1]));
    expect(sent.reduce((sum, each) => sum + each, 0)).toBe(
      phones.length * previews.length - previews.length + arrived.length,
    );
    expect(slack.failures).toEqual([]);
  });
});

function isFinished(message: Message): boolean {
  return /\*Finished\* · `?list-\d\.csv/.test(textOf(message));
}
