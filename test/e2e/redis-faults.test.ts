import { textOf } from 'slack-playground';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RedisServer, startRedis, withoutRedis } from '../helpers/redis-server.ts';
import { type Replicas, startReplicas } from '../helpers/replicas.ts';
import { createWorld, type World } from '../helpers/world.ts';
import {
  arrivalsAt,
  ask,
  draft,
  eventually,
  link,
  press,
  receiptOf,
  sendRequests,
} from '../helpers/world-steps.ts';

describe.skipIf(withoutRedis)('two bots whose Redis fails', () => {
  let world: World;
  let redis: RedisServer;
  let bots: Replicas;

  beforeAll(async () => {
    redis = await startRedis();
    world = await createWorld({
      sandbox: { switches: { rateLimit: 10_000 } },
      env: { SMS_RATE_LIMIT: '10000', SMS_TIMEOUT_MS: '1000', SMS_ATTEMPT_LEASE_MS: '2500' },
    });
    bots = await startReplicas(world, 2, { REDIS_URL: redis.url });
    await link(world, { values: { 'Low-credit threshold': '0' } });
  }, 30_000);
  afterAll(async () => {
    await bots.close();
    await world.close();
    await redis.close();
  });

  /** Resolves once each of the bots does its work again, by itself and within five seconds. */
  async function allWork(): Promise<void> {
    for (const bot of bots.all) {
      bots.callOnly(bot);
      await expect.poll(() => ask(world, 'balance'), { timeout: 5000 }).toContain('credits');
      await expect.poll(async () => (await bot.readiness()).status, { timeout: 5000 }).toBe(200);
    }
    bots.callOnly(undefined);
  }

  async function answered(text: string): Promise<string> {
    const { people, channels } = world.slack;
    const command = await world.slack.command({ user: people.member, channel: channels.sales, text });
    expect(command).toMatchObject({ status: 200, toast: null });
    return textOf(await command.reply());
  }

  it('frozen: commands are acknowledged in time and answered honestly, nothing is sent, work resumes', async ({
    annotate,
  }) => {
    const { slack } = world;
    const early = await draft(world, '+442079461601 Before');
    redis.freeze();
    const clicks = [await press(world, early, 'Send'), await press(world, early, 'Send')];
    // Nobody is told that it took too long: Slack gives an acknowledgement three seconds.
    expect(clicks.map(({ status, toast }) => ({ status, toast }))).toEqual(
      Array(2).fill({ status: 200, toast: null }),
    );
    const said = await Promise.all([
      answered('balance'),
      answered('send +442079461602 Hello'),
      ...clicks.map(async (click) => (await click.reply()).text),
    ]);
    for (const sentence of said) {
      expect(sentence).toMatch(/cannot use its own database.*not finished.*No new text goes out/s);
    }
    for (const bot of bots.all) {
      const { status, body } = await bot.readiness();
      expect(status).toBe(503);
      expect(body).toMatchObject({ ready: false, store: expect.stringMatching(/^it can't be written/) });
    }
    expect(sendRequests(world)).toEqual([]);
    expect(slack.failures).toEqual([]);
    redis.thaw();
    const begun = performance.now();
    await allWork();
    await annotate(`works ${Math.round(performance.now() - begun)} ms after it was thawed`);
    await press(world, early, 'Send');
    expect(await receiptOf(world, early)).toMatch(/^✅ \*Sent\*/);
    expect(arrivalsAt(world, '442079461601')).toHaveLength(1);
    expect(arrivalsAt(world, '442079461602')).toEqual([]);
  });

  it('frozen while a request is on its way: its answer is kept, and the receipt comes by itself', async ({
    annotate,
  }) => {
    world.service.addFault({ kind: 'delay', ms: 600, when: 'after', endpoint: 'send' });
    const before = sendRequests(world).length;
    const preview = await draft(world, '+442079461603 On its way');
    await press(world, preview, 'Send');
    await eventually(() => sendRequests(world).length === before + 1);
    redis.freeze();
    await eventually(() => bots.all.some(({ output }) => output().includes('the ledger refused an answer')));
    redis.thaw();
    const begun = performance.now();
    expect(await receiptOf(world, preview)).toMatch(/^\S+ \*(Sent|Unknown)\*/);
    await annotate(`the receipt came ${Math.round(performance.now() - begun)} ms after it was thawed`);
    expect(arrivalsAt(world, '442079461603')).toHaveLength(1);
  });

  it('no log of any bot holds the text, the number or the key', () => {
    const all = bots.all.map(({ output }) => output()).join('');
    expect(all).not.toMatch(/On its way|794616|sandbox-key/);
  });
});

describe.skipIf(withoutRedis)('what keeps a bot from starting on Redis', () => {
  it('is said in one line, without the password', async () => {
    const world = await createWorld();
    const volatile = await startRedis({ appendfsync: 'everysec' });
    try {
      const refused = await world.runMain({ REDIS_URL: volatile.url });
      expect(refused.stderr).toMatch(/^Redis may forget what was sent, .*REDIS_ALLOW_VOLATILE=true\.\n$/);
      expect(refused.code).toBe(1);
      await world.start({ REDIS_URL: volatile.url, REDIS_ALLOW_VOLATILE: 'true' });
      await world.stop();
      await volatile.kill();
      const url = volatile.url.replace('//', '//:hushhush@');
      const gone = await world.runMain({ REDIS_URL: url, REDIS_ALLOW_VOLATILE: 'true' });
      expect(gone.stderr).toMatch(/^Redis can't be reached at 127\.0\.0\.1:\d+ .*check REDIS_URL.*\n$/);
      expect(gone.stdout + gone.stderr + world.output()).not.toContain('hushhush');
      const noUrl = await world.runMain({ REDIS_URL: 'http://:hushhush@127.0.0.1' });
      expect(noUrl.stderr).toMatch(/^REDIS_URL is not usable: .*\n$/);
      expect(noUrl.stderr).not.toContain('hushhush');
      const unset = await world.runAdmin(['reset-store', '--yes']);
      expect(unset.stderr).toMatch(/REDIS_URL is not set/);
    } finally {
      await world.close();
      await volatile.close();
    }
  }, 60_000);
});
