import { copyFileSync, renameSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { connect } from '../../src/store/redis/connect.ts';
import { startRedisPair } from '../helpers/redis-pair.ts';
import { startRedis, withoutRedis } from '../helpers/redis-server.ts';
import { startReplicas } from '../helpers/replicas.ts';
import type { World } from '../helpers/world.ts';
import { ask, draft, eventually, link, press, sendRequests } from '../helpers/world-steps.ts';
import { worldsOfFile } from '../helpers/worlds-of-file.ts';

const newWorld = worldsOfFile();

async function started(options: Parameters<typeof newWorld>[0] = {}): Promise<World> {
  const world = await newWorld(options);
  await world.start();
  return world;
}

/** The answer of /readyz. */
async function readyzOf(world: World): Promise<{ status: number; [part: string]: unknown }> {
  const response = await fetch(`${world.url}/readyz`);
  return { ...((await response.json()) as object), status: response.status };
}

/** As an operator does who moves a backup to its place and forgets to stop the bot. */
function replaceByCopy(file: string): void {
  copyFileSync(file, `${file}.copy`);
  renameSync(`${file}.copy`, file);
}

const READY = { status: 200, ready: true, store: 'ok', slack: 'ok', gate: 'ok' };

/** Asks /readyz often, like a probe, to find each change. */
function pollReadyz(world: World) {
  return expect.poll(() => readyzOf(world), { interval: 100 });
}

describe('/readyz of one bot, one after the other', () => {
  let world: World;
  beforeAll(async () => {
    world = await started();
  });
  afterEach(() => world.slack.clearFaults());

  it('names store, Slack and gate', async () => {
    expect(await readyzOf(world)).toEqual(READY);
  });

  it('says that connections stay open for longer than load balancers keep them, for ten minutes', async () => {
    const { headers } = await fetch(`${world.url}/readyz`);
    const [, seconds] = /timeout=(\d+)/.exec(headers.get('keep-alive') ?? '') ?? [];
    expect(Number(seconds)).toBeGreaterThan(600);
  });

  it('a refusal of one call only is no trouble with Slack', async () => {
    world.slack.fault({ method: 'users.info', fault: { kind: 'refused', error: 'user_not_found' } });
    await ask(world, 'balance');
    expect(await readyzOf(world)).toEqual(READY);
  });

  it('says that Slack gives no answer, asks again by itself, and is ready when it does', async () => {
    const { slack } = world;
    slack.fault({ method: '*', fault: { kind: 'server_error' }, count: Number.POSITIVE_INFINITY });
    await slack.command({ user: slack.people.member, channel: slack.channels.sales, text: 'balance' });
    await pollReadyz(world).toEqual({
      ...READY,
      status: 503,
      ready: false,
      slack: 'no answer from the Web API to the last call',
    });
    slack.clearFaults();
    await pollReadyz(world).toEqual(READY);
  });

  it('says that the bot token is refused', async () => {
    const { slack } = world;
    slack.fault({
      method: '*',
      fault: { kind: 'refused', error: 'token_revoked' },
      count: Number.POSITIVE_INFINITY,
    });
    await slack.command({ user: slack.people.member, channel: slack.channels.sales, text: 'balance' });
    await pollReadyz(world).toMatchObject({
      status: 503,
      slack: 'the bot token is refused (token_revoked)',
    });
  });
});

describe('/readyz', () => {
  for (const [what, change] of Object.entries({ removed: unlinkSync, replaced: replaceByCopy })) {
    it(`the database’s file was ${what} while the bot ran: the bot sends nothing that it would forget`, async () => {
      const world = await started();
      await link(world);
      const preview = await draft(world, '+442079461001 Never sent');
      change(join(world.dataDir, 'switchboard.db'));
      await press(world, preview, 'Send');
      await pollReadyz(world).toMatchObject({ status: 503, store: "it can't be written (replaced)" });
      expect(await ask(world, 'send +442079461001 Neither')).toMatch(
        /database file was moved, removed or replaced/,
      );
      expect(sendRequests(world)).toEqual([]);
      expect(world.output()).toMatch(/switchboard\.db was moved, removed or replaced while the bot used it/);
    });
  }

  it('the gate: an answer that the ledger does not take holds up every other text', async () => {
    const world = await newWorld({ env: { SMS_TIMEOUT_MS: '8000', SMS_ATTEMPT_LEASE_MS: '12000' } });
    await world.start({}, { largestFileKb: 512 });
    await link(world);
    world.service.addFault({ kind: 'delay', ms: 4000, endpoint: 'send' });
    await press(world, await draft(world, '+442079461301 In flight'), 'Send');
    await eventually(() => sendRequests(world).length === 1);
    let said = '';
    while (!said.includes('its own database'))
      said = await ask(world, `send +442079461302 ${'x'.repeat(900)}`);
    await pollReadyz(world).toEqual({
      status: 503,
      ready: false,
      store: expect.stringContaining("can't be written"),
      slack: 'ok',
      gate: 'the ledger refuses answers; nothing is sent until it takes them',
    });
    await world.kill();
    await world.start();
    await pollReadyz(world).toEqual(READY);
  });

  it('Socket Mode: says that the connection is down, and is ready when it is up again', async () => {
    const world = await started({ socketMode: true });
    const { slack } = world;
    await eventually(() => slack.socket.connections() === 1);
    await pollReadyz(world).toEqual(READY);
    // Slack's own library gives up after this refusal, but the bot must not.
    slack.fault({
      method: 'apps.connections.open',
      fault: { kind: 'refused', error: 'invalid_auth' },
      count: Number.POSITIVE_INFINITY,
    });
    slack.socket.disconnect('drop');
    await pollReadyz(world).toEqual({
      ...READY,
      status: 503,
      ready: false,
      slack: 'the Socket Mode connection is down',
    });
    await eventually(() => world.output().split('trying again').length > 2);
    slack.clearFaults();
    await pollReadyz(world).toEqual(READY);
    expect(world.output()).not.toContain('Node.js v');
  });
});

describe.skipIf(withoutRedis)('/readyz of a bot whose Redis fails over to a replica', () => {
  it('says so while no replica has the latest writes: nothing can be sent then', async () => {
    const redis = await startRedisPair();
    onTestFinished(() => redis.close());
    const world = await newWorld();
    const bots = await startReplicas(world, 1, { REDIS_URL: redis.url, REDIS_REPLICAS: '1' });
    onTestFinished(() => bots.close());
    const [bot] = bots.all;
    await redis.cutOff();
    await expect
      .poll(() => bot?.readiness())
      .toMatchObject({ status: 503, body: { ready: false, store: "it can't be written (late)" } });
    // A bot that starts meanwhile says the same: it has nothing new to write.
    const late = bots.add();
    await expect
      .poll(() => bots.all[1]?.readiness().catch(() => undefined))
      .toMatchObject({ status: 503, body: { store: "it can't be written (late)" } });
    await redis.failOver();
    await late;
    await expect.poll(() => bot?.readiness()).toMatchObject({ status: 200 });
  });
});

describe.skipIf(withoutRedis)('/readyz of a bot whose Redis is full', () => {
  it('says so, though the bot has nothing to write and its log has no line about it', async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.close());
    const world = await newWorld();
    const bots = await startReplicas(world, 1, { REDIS_URL: redis.url });
    onTestFinished(() => bots.close());
    const [bot] = bots.all;
    const { client, close } = await connect(redis.url);
    onTestFinished(close);
    await client.sendCommand(['CONFIG', 'SET', 'maxmemory', '1']);
    await expect
      .poll(() => bot?.readiness())
      .toMatchObject({ status: 503, body: { ready: false, store: "it can't be written (OOM)" } });
    await client.sendCommand(['CONFIG', 'SET', 'maxmemory', '0']);
    await expect.poll(() => bot?.readiness()).toMatchObject({ status: 200 });
  });
});
