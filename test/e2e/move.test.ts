import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openForCommand } from '../../src/data/embedded.ts';
import { openRedisStore } from '../../src/data/shared.ts';
import { connect } from '../../src/store/redis/connect.ts';
import { createSqliteEngine } from '../../src/store/sqlite/engine.ts';
import { dumpRedis } from '../helpers/dump-store.ts';
import { expectWhole } from '../helpers/expect-whole.ts';
import { type RedisServer, startRedis, withoutRedis } from '../helpers/redis-server.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { cardOf, cardSaying, confirmBulk, draftBulk } from '../helpers/world-bulk.ts';
import {
  arrivalsAt,
  ask,
  draft,
  eventually,
  link,
  phoneAt,
  press,
  receiptOf,
  rows,
  sendText,
} from '../helpers/world-steps.ts';

describe.skipIf(withoutRedis)('npm run admin -- move --to redis', () => {
  let world: World;
  let redis: RedisServer;
  const env = () => ({ REDIS_URL: redis.url });
  const move = () => world.runAdmin(['move', '--to', 'redis'], '', env());

  beforeAll(async () => {
    redis = await startRedis();
    world = await createWorld({
      sandbox: { switches: { rateLimit: 1000 } },
      env: { SMS_RATE_LIMIT: '1000', BULK_CHUNK_SIZE: '2' },
    });
    await world.start();
    await link(world);
  });
  afterAll(async () => {
    await world.close();
    await redis.close();
  });

  it('is refused with a sentence: without a target, while a bot runs, with a request on its way', async () => {
    expect((await world.runAdmin(['move'])).stderr).toMatch(/^Say where to/);
    expect((await world.runAdmin(['move', '--to', 'redis'])).stderr).toMatch(/^Set REDIS_URL/);
    expect((await move()).stderr).toMatch(/^A bot is using .*: stop it first\. Nothing was changed\.$/m);
    world.service.addFault({ kind: 'hang', when: 'after', endpoint: 'send' });
    await press(world, await draft(world, '+442079461401 In the middle'), 'Send');
    await eventually(
      () =>
        rows(world, "SELECT 1 FROM d_sends WHERE value ->> '$.tally.states.sending.chunks' > 0").length === 1,
    );
    await world.kill();
    const refused = await move();
    expect(refused.stderr).toMatch(
      /^The bot stopped while requests were in flight \(1\)\. Start it once .*Nothing was moved\.$/m,
    );
    expect(refused.code).toBe(1);
    world.service.clearFaults();
    await world.start();
  });

  it('moves everything, and work goes on at the same point', async () => {
    const { slack, service } = world;
    expect(await sendText(world, '+442079461402 Before')).toMatch(/^✅ \*Sent\*/);
    const job = await draftBulk(world, {
      recipients: Array.from({ length: 40 }, (_, at) => `+${phoneAt(at)}`).join('\n'),
      message: 'Hello',
    });
    service.addFault({ kind: 'delay', ms: 300, endpoint: 'bulk', when: 'before', times: 'always' });
    await confirmBulk(world, job);
    const running = await cardSaying(world, /\*Sending\*/);
    await eventually(() => service.messages.length >= 10);
    await slack.click({ user: slack.people.member, message: running, text: 'Pause' });
    await cardSaying(world, /\*Paused\*/);
    const waiting = await draft(world, '+442079461403 After');
    await world.stop();
    service.clearFaults();
    await layToRest('a key');

    const moved = await move();
    expect(moved.stderr).toBe('');
    expect(moved.stdout).toMatch(
      /^Moved to Redis, and counted there\. records: \d+ · sends: 4 · documents: \d{2,}\.$/m,
    );
    expect(existsSync(join(world.dataDir, 'switchboard.db'))).toBe(false);
    await expectTheSame();

    await world.start(env());
    expect((await world.runAdmin(['list-unknown'], '', env())).stdout).toMatch(/to ···1401/);
    expect(await ask(world, 'balance')).toContain('credits');
    await press(world, waiting, 'Send');
    expect(await receiptOf(world, waiting)).toMatch(/^✅ \*Sent\*/);
    const paused = cardOf(world);
    if (!paused) throw new Error('the card is gone');
    await slack.click({ user: slack.people.member, message: paused, text: 'Resume' });
    await cardSaying(world, /\*Finished\*/);
    for (let at = 0; at < 40; at += 1) expect(arrivalsAt(world, phoneAt(at)), String(at)).toHaveLength(1);
    expect(arrivalsAt(world, '442079461401').length).toBeLessThanOrEqual(1);
    expect(arrivalsAt(world, '442079461402')).toHaveLength(1);
    expect(slack.failures).toEqual([]);
  });

  it('without REDIS_URL after that, nothing begins with an empty database', async () => {
    const refused = /^The database was moved to Redis: set REDIS_URL\./m;
    expect((await world.runMain()).stderr).toMatch(refused);
    expect((await world.runAdmin(['status'])).stderr).toMatch(refused);
    expect(existsSync(join(world.dataDir, 'switchboard.db'))).toBe(false);
  });

  it('a second time there is nothing to move, and no room', async () => {
    expect((await move()).stderr).toMatch(/^There is no .*nothing to move/);
    const file = join(world.dataDir, 'switchboard');
    copyFileSync(`${file}-moved.db`, `${file}.db`);
    expect((await move()).stderr).toMatch(/holds an installation of Switchboard already.*Nothing was moved/);
  });

  it('cut short, no bot starts with it, and it can be run again', async () => {
    await world.stop();
    const connection = await connect(redis.url);
    await connection.client.sendCommand(['SET', 'switchboard:moving', '1']);
    connection.close();
    expect((await world.runMain(env())).stderr).toMatch(
      /^A move to this Redis is under way or was cut short/,
    );
    expect((await move()).stdout).toMatch(/^Moved to Redis, and counted there\. .*sends: 4 /);
    await world.start(env());
    expect((await world.runAdmin(['list-unknown'], '', env())).stdout).toMatch(/to ···1401/);
  });

  /** Lets the key rest, as after a 429. */
  async function layToRest(lane: string): Promise<void> {
    const { db, ledger } = await openForCommand(common());
    await ledger.permit(lane, 'background', 'turned away');
    await ledger.returnPermit(lane, 'turned away', { restMs: 600_000 });
    db.close();
  }

  const common = () => ({
    dataDir: world.dataDir,
    encryptionKeys: [Buffer.from(world.environment.ENCRYPTION_KEY as string, 'base64')],
    limits: { permits: 1000, windowMs: 60_000, leaseMs: 3000, timeoutMs: 1500 },
    onDamaged: (error: Error) => expect.unreachable(error.message),
  });

  async function expectTheSame(): Promise<void> {
    const file = join(world.dataDir, 'switchboard');
    copyFileSync(`${file}-moved.db`, `${file}.db`);
    const { db, records, ledger: was } = await openForCommand(common());
    const is = await openRedisStore({ ...common(), url: redis.url, allowVolatile: false });
    const connection = await connect(redis.url);
    try {
      const [sends] = await Array.fromAsync(createSqliteEngine(db).documents('sends'));
      for (const { id } of sends ?? []) {
        expect(await is.ledger.find(id)).toEqual(await was.find(id));
        expect(await is.ledger.chunks(id)).toEqual(await was.chunks(id));
        expect(await is.ledger.tally(id)).toEqual(await was.tally(id));
      }
      const [instance] = await records.instances.list();
      const { id, accountId } = instance as NonNullable<typeof instance>;
      expect(await is.ledger.account(accountId)).toEqual(await was.account(accountId));
      expect((await is.ledger.openSends(id)).map((send) => send.id)).toEqual(
        (await was.openSends(id)).map((send) => send.id),
      );
      for (const kind of [
        'instances',
        'accountInstances',
        'keyHolders',
        'links',
        'pendingUnlinks',
        'workspaces',
        'prices',
      ] as const) {
        const byText = (all: unknown[]) => all.map((each) => JSON.stringify(each)).sort();
        expect(byText(await is.records[kind].list())).toEqual(byText(await records[kind].list()));
      }
      expect(await is.records.fingerprintSecret()).toEqual(await records.fingerprintSecret());
      const asked = await is.ledger.permit('a key', 'background', 'token');
      expect(asked).toMatchObject({ kind: 'wait', rests: true });
      expect(asked).toEqual(await was.permit('a key', 'background', 'token'));
      expectWhole(await dumpRedis(connection.client, 'switchboard:ledger:'));
    } finally {
      db.close();
      is.close();
      connection.close();
    }
    rmSync(`${file}.db`);
  }
});
