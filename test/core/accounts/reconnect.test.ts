import { aroundEach, expect, test } from 'vitest';
import { restoredSince } from '../../../src/core/jobs/job-view.ts';
import { ApiKey } from '../../../src/sms/api-key.ts';
import { jobIn, startedJob } from '../../helpers/core-jobs.ts';
import { createGate, type LedgerTap } from '../../helpers/core-ledger.ts';
import { ANA } from '../../helpers/core-people.ts';
import { confirmed, ended, eventually } from '../../helpers/core-sends.ts';
import {
  ACME_KEY,
  addInstance,
  BIRCH_KEY,
  type CoreWorld,
  createCoreWorld,
  type Run,
  run,
  runLinked,
  SHORT_LIMITS,
} from '../../helpers/core-world.ts';
import { startRedisPair } from '../../helpers/redis-pair.ts';
import { type RedisServer, startRedis, withoutRedis } from '../../helpers/redis-server.ts';
import { asOneOfMany, sideBySide, whenOver } from '../../helpers/side-by-side.ts';
import { joinRedis } from '../../helpers/two-bots.ts';

aroundEach(asOneOfMany);

const onRedis = (title: string, body: () => void) => sideBySide(title, body, withoutRedis);

/** A bot waits for a lease before it goes on. An answer that takes 0.9 s must be in time on a busy machine, too. */
const LIMITS = { permits: 10_000, ...SHORT_LIMITS };
const OPTIONS = { bulk: { chunkSize: 2, minRecipients: 2 } };
const FREE = { switches: { price: { per: 'message', credits: 0 } } } as const;

/** Two bots on a Redis of their own, with a slow job under way. */
async function underWay(count = 400): Promise<{
  world: CoreWorld;
  server: RedisServer;
  first: Run;
  second: Run;
  id: string;
}> {
  const world = await createCoreWorld({ limits: LIMITS, sandbox: { switches: { rateLimit: 10_000 } } });
  const server = await startRedis();
  whenOver(() => server.close());
  const open = joinRedis(server);
  const first = await runLinked(world, { ...OPTIONS, open });
  world.service.addFault({ kind: 'delay', endpoint: 'bulk', ms: 100, when: 'before', times: 'always' });
  const { id } = await startedJob(first.core, { count });
  await eventually(() => expect(jobRequests(world).length).toBeGreaterThan(10));
  // The second bot only knows what it sees of the first.
  const second = await run(world, { ...OPTIONS, open });
  await eventually(() => expect(jobRequests(world).length).toBeGreaterThan(40));
  return { world, server, first, second, id };
}

function jobRequests({ service }: CoreWorld) {
  return service.requests.filter(({ endpoint }) => endpoint === 'bulk' || endpoint === 'send');
}

/** What the message says that a list may lack requests since. */
async function seenOf(core: Run['core'], id: string): Promise<string | undefined> {
  const view = await core.jobs.view(id);
  return view && restoredSince(view);
}

function textedTwice({ service }: CoreWorld): string[] {
  const times = new Map<string, number>();
  for (const { phone } of service.messages) times.set(phone, (times.get(phone) ?? 0) + 1);
  return [...times].filter(([, count]) => count > 1).map(([phone]) => phone);
}

/** Counts the job's requests after `since` and before the next balance read. */
function beforeTheNextRead({ service }: CoreWorld, since: number): number {
  const later = service.requests.filter(({ monotonicMs }) => monotonicMs > since);
  const read = later.findIndex(({ endpoint }) => endpoint === 'balance');
  const until = read === -1 ? later.length : read;
  return later.slice(0, until).filter(({ endpoint }) => endpoint === 'bulk').length;
}

/**
 * Holds the bot's first take until `gate` opens, and its others until `others` does. Those fail then: in the bot itself,
 * nothing comes between a look at the balance and its take.
 */
function holdTakes(tap: LedgerTap) {
  const [gate, others] = [createGate(), createGate()];
  let takes = 0;
  let isOver = false;
  tap.intercept('take', (real) => async (request) => {
    takes += 1;
    if (takes === 1) await gate.pass();
    else if (!isOver) {
      await others.pass();
      throw new Error('held over the reconnect');
    }
    return real(request);
  });
  return {
    gate,
    others: {
      open() {
        isOver = true;
        others.open();
      },
    },
  };
}

onRedis('a Redis that was started again, with', () => {
  test('its own data: the balance is read before the job goes on', async () => {
    const { world, server, first, id } = await underWay();
    await server.restart();
    // Requests that were sent before the restart arrive within their deadline.
    const since = performance.now() + LIMITS.timeoutMs;
    await jobIn(first.core, id, 'finished');
    expect(beforeTheNextRead(world, since)).toBe(0);
    expect(jobRequests(world).some(({ monotonicMs }) => monotonicMs > since)).toBe(true);
    expect(textedTwice(world)).toEqual([]);
  });

  test('an older copy of its data: the bots still know what they sent since, so the job goes on', async () => {
    const { world, server, first, id } = await underWay();
    const copy = server.copy();
    const before = jobRequests(world).length;
    await eventually(() => expect(jobRequests(world).length).toBeGreaterThan(before + 30));
    await server.putBack(copy);
    expect(await jobIn(first.core, id, 'finished')).toMatchObject({
      counts: { sent: 400 },
      creditsUsed: 400,
    });
    expect(textedTwice(world)).toEqual([]);
  });

  test('an older copy of its data, and a bot that knew more is dead: the job waits for a person', async () => {
    const { world, server, first, second, id } = await underWay();
    const copy = server.copy();
    const before = jobRequests(world).length;
    await eventually(() => expect(jobRequests(world).length).toBeGreaterThan(before + 30));
    await second.stop();
    second.kill();
    await server.putBack(copy);
    await eventually(async () => {
      const job = await first.core.jobs.view(id);
      expect(job).toMatchObject({ state: 'paused', pause: { why: 'books' } });
      expect(job?.details.missing).toBeGreaterThan(0);
    });
    expect(textedTwice(world)).toEqual([]);
  });

  for (const act of ['pause', 'stop'] as const) {
    test(`a copy from before somebody pressed ${act}: the job waits for a person, who may resume it`, async () => {
      const world = await createCoreWorld({ limits: LIMITS, sandbox: { switches: { rateLimit: 10_000 } } });
      const server = await startRedis();
      whenOver(() => server.close());
      const { core, tap } = await runLinked(world, { ...OPTIONS, open: joinRedis(server) });
      const gate = createGate();
      tap.intercept('take', (real) => async (request) => {
        await gate.pass();
        return real(request);
      });
      const { id } = await startedJob(core, { count: 4 });
      const copy = server.copy();
      expect(await core.jobs[act](id, ANA)).toMatchObject({ kind: 'done' });
      await server.putBack(copy);
      gate.open();
      expect(await jobIn(core, id, 'paused')).toMatchObject({ pause: { why: 'person', by: ANA.id } });
      expect(jobRequests(world)).toEqual([]);
      await eventually(async () => expect(await core.jobs.resume(id, ANA)).toMatchObject({ kind: 'done' }));
      await jobIn(core, id, 'finished');
      expect(textedTwice(world)).toEqual([]);
    });
  }

  test('a copy that was just taken: nobody is texted twice', async () => {
    const { world, server, first, id } = await underWay(200);
    await server.putBack(server.copy());
    await eventually(async () =>
      expect((await first.core.jobs.view(id))?.state).toMatch(/^(paused|finished)$/),
    );
    expect(textedTwice(world)).toEqual([]);
  });

  test('a copy that misses a text in flight: that text is not sent again', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const server = await startRedis();
    whenOver(() => server.close());
    const { core, tap } = await runLinked(world, { ...OPTIONS, open: joinRedis(server) });
    const gate = createGate();
    tap.intercept('take', (real) => async (request) => {
      if (request.priority === 'background') await gate.pass();
      return real(request);
    });
    world.service.addFault({ kind: 'delay', endpoint: 'bulk', ms: 900, when: 'before' });
    const { id } = await startedJob(core, { count: 2 });
    const copy = server.copy();
    gate.open();
    await eventually(() => expect(jobRequests(world)).toHaveLength(1));
    await server.putBack(copy);
    expect(await jobIn(core, id, 'finished')).toMatchObject({ counts: { sent: 2 }, creditsUsed: 2 });
    expect(jobRequests(world)).toHaveLength(1);
  });

  test('a copy that misses a free text in flight: its answer shows that, so the job waits', async () => {
    const world = await createCoreWorld({
      limits: LIMITS,
      sandbox: { switches: { price: { per: 'message', credits: 0 } } },
    });
    const server = await startRedis();
    whenOver(() => server.close());
    const { core, tap } = await runLinked(world, { ...OPTIONS, open: joinRedis(server) });
    const { gate, others } = holdTakes(tap);
    world.service.addFault({ kind: 'delay', endpoint: 'bulk', ms: 900, when: 'before' });
    const { id } = await startedJob(core, { count: 4 });
    const copy = server.copy();
    gate.open();
    await eventually(() => expect(jobRequests(world)).toHaveLength(1));
    await server.putBack(copy);
    others.open();
    expect(await jobIn(core, id, 'paused')).toMatchObject({
      pause: { why: 'restored' },
      counts: { sent: 2 },
    });
    expect(jobRequests(world)).toHaveLength(1);
  });

  test('a copy that misses a list’s request, and holds texts that waited: those don’t explain what is missing', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const server = await startRedis();
    whenOver(() => server.close());
    const { core, tap } = await runLinked(world, { ...OPTIONS, open: joinRedis(server) });
    const gates = { interactive: createGate(), background: createGate() };
    tap.intercept('take', (real) => async (request) => {
      await gates[request.priority].pass();
      return real(request);
    });
    world.service.addFault({ kind: 'delay', endpoint: 'bulk', ms: 900, when: 'before' });
    const texts = [await confirmed(core), await confirmed(core)];
    const { id } = await startedJob(core, { count: 2 });
    const copy = server.copy();
    gates.background.open();
    await eventually(() => expect(jobRequests(world)).toHaveLength(1));
    await server.putBack(copy);
    gates.interactive.open();
    for (const text of texts) expect(await ended(core, text.id)).toMatchObject({ outcome: 'unknown' });
    expect(await jobIn(core, id, 'finished')).toMatchObject({ counts: { sent: 2 } });
    expect(jobRequests(world)).toHaveLength(1);
  });

  test('a copy that misses a request whose key others use, too: its answer shows that, so the job waits', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const server = await startRedis();
    whenOver(() => server.close());
    const { core, tap, instance } = await runLinked(world, { ...OPTIONS, open: joinRedis(server) });
    await core.refusals.setShared(instance, true, 'U-admin');
    const { gate, others } = holdTakes(tap);
    world.service.addFault({ kind: 'delay', endpoint: 'bulk', ms: 900, when: 'before' });
    const { id } = await startedJob(core, { count: 4 });
    const copy = server.copy();
    gate.open();
    await eventually(() => expect(jobRequests(world)).toHaveLength(1));
    await server.putBack(copy);
    others.open();
    expect(await jobIn(core, id, 'paused')).toMatchObject({
      pause: { why: 'restored' },
      counts: { sent: 2 },
    });
    expect(jobRequests(world)).toHaveLength(1);
  });
});

onRedis('a replica that took over, and the bots that knew more are dead:', () => {
  /** A list of two requests whose second one the replica lacks. `prepare` runs before the first bot dies. */
  async function lacking(
    how: {
      price?: number;
      isShared?: boolean;
      early?(first: Run): Promise<void>;
      prepare?(world: CoreWorld): void;
    } = {},
  ) {
    const { price = 1, isShared = false, early, prepare = () => {} } = how;
    const world = await createCoreWorld({
      limits: LIMITS,
      sandbox: { switches: { price: { per: 'message', credits: price } } },
    });
    const redis = await startRedisPair();
    whenOver(() => redis.close());
    const open = joinRedis(redis);
    const first = await runLinked(world, { ...OPTIONS, open });
    if (isShared) await first.core.refusals.setShared(first.instance, true, 'U-admin');
    await early?.(first);
    const gate = createGate();
    let takes = 0;
    first.tap.intercept('take', (real) => async (request) => {
      takes += 1;
      if (takes > 1) await gate.pass();
      return real(request);
    });
    const { id } = await startedJob(first.core, { count: 4 });
    await eventually(async () => expect((await first.core.jobs.view(id))?.counts.sent).toBe(2));
    await redis.cutOff();
    gate.open();
    await jobIn(first.core, id, 'finished');
    prepare(world);
    await first.stop();
    first.kill();
    await redis.failOver();
    const { core } = await run(world, { ...OPTIONS, open });
    return { world, core, id, instance: first.instance };
  }

  test.each([
    ['costs nothing', { price: 0 }],
    ['is paid by a key that others use, too', { isShared: true }],
    ['a top-up hides', { prepare: ({ service }: CoreWorld) => service.setCredits(1, 5000) }],
  ])('a list whose lost request %s waits for a person', async (_why, how) => {
    const { world, core, id } = await lacking(how);
    expect(await jobIn(core, id, 'paused')).toMatchObject({ pause: { why: 'restored' } });
    expect(jobRequests(world)).toHaveLength(2);
    // A card that Slack has not changed yet does not warn.
    expect(await core.jobs.resume(id, ANA)).toMatchObject({ kind: 'books' });
    expect(await core.jobs.resume(id, ANA, { seenRestored: await seenOf(core, id) })).toMatchObject({
      kind: 'done',
    });
    await jobIn(core, id, 'finished');
    expect(textedTwice(world)).toHaveLength(2);
  });

  test('a list that another account paid for waits for a person: this balance proves nothing', async () => {
    const { world, core, id, instance } = await lacking({
      prepare: ({ service }) => service.moveKey(ACME_KEY, 2),
      early: async ({ core }) => {
        await core.credit.read(await addInstance(core, BIRCH_KEY, 'Birch'), 'interactive');
      },
    });
    const asked = await core.instances.replaceKey(instance, ApiKey.from(ACME_KEY), {
      acceptOtherAccount: true,
    });
    expect(asked).toMatchObject({ kind: 'saved' });
    expect(await jobIn(core, id, 'paused')).toMatchObject({ details: { restored: true } });
    await eventually(async () =>
      expect(await core.jobs.resume(id, ANA)).toMatchObject({
        kind: 'books',
        view: { details: { restored: true } },
      }),
    );
    expect(textedTwice(world)).toEqual([]);
  });

  test('a list goes on by itself if the balance proves that the replica lacks nothing', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const redis = await startRedisPair();
    whenOver(() => redis.close());
    const open = joinRedis(redis);
    const first = await runLinked(world, { ...OPTIONS, open });
    world.service.addFault({ kind: 'delay', endpoint: 'bulk', ms: 50, when: 'before', times: 'always' });
    const { id } = await startedJob(first.core, { count: 80 });
    await eventually(async () => expect((await first.core.jobs.view(id))?.counts.sent).toBeGreaterThan(0));
    await first.stop();
    first.kill();
    await redis.handOver();
    const { core } = await run(world, { ...OPTIONS, open });
    await jobIn(core, id, 'finished');
    expect(textedTwice(world)).toEqual([]);
  });

  test('who resumes a paused list reads first that people may get it twice', async () => {
    const world = await createCoreWorld({ limits: LIMITS, sandbox: FREE });
    const redis = await startRedisPair();
    whenOver(() => redis.close());
    const open = joinRedis(redis);
    const first = await runLinked(world, { ...OPTIONS, open });
    world.service.addFault({ kind: 'delay', endpoint: 'bulk', ms: 100, when: 'before', times: 'always' });
    const { id } = await startedJob(first.core, { count: 100 });
    await first.core.jobs.pause(id, ANA);
    await jobIn(first.core, id, 'paused');
    await first.stop();
    first.kill();
    await redis.failOver();
    const { core } = await run(world, { ...OPTIONS, open });
    world.time.jump('steady', LIMITS.leaseMs);
    expect(await core.jobs.resume(id, ANA)).toMatchObject({
      kind: 'books',
      view: { details: { restored: true } },
    });
    expect(await core.jobs.resume(id, ANA, { seenRestored: await seenOf(core, id) })).toMatchObject({
      kind: 'done',
    });
    await jobIn(core, id, 'finished');
    expect(textedTwice(world)).toEqual([]);
  });

  test('a list that seems not to have begun can’t be undone: nobody may read that nothing was sent', async () => {
    const world = await createCoreWorld({ limits: LIMITS, sandbox: FREE });
    const redis = await startRedisPair();
    whenOver(() => redis.close());
    const how = { ...OPTIONS, open: joinRedis(redis), listUndoMs: 500 };
    const first = await runLinked(world, how);
    const { id, startsAt = 0 } = await startedJob(first.core, { count: 2 });
    await redis.cutOff();
    await jobIn(first.core, id, 'finished');
    await first.stop();
    first.kill();
    await redis.failOver();
    const { core, ledger } = await run(world, how);
    expect(ledger.now()).toBeGreaterThan(startsAt);
    expect(await core.jobs.view(id)).not.toHaveProperty('canUndo');
    expect(await core.jobs.undo(id, ANA)).toMatchObject({ kind: 'too_late' });
    await jobIn(core, id, 'paused');
    expect(await core.jobs.undo(id, ANA)).toMatchObject({ kind: 'too_late', view: { state: 'paused' } });
  });
});
