import { describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { jobIn, startedJob } from '../../helpers/core-jobs.ts';
import { tapLedger } from '../../helpers/core-ledger.ts';
import { ANA } from '../../helpers/core-people.ts';
import { eventually } from '../../helpers/core-sends.ts';
import { boot, type CoreWorld, createCoreWorld, type Run, run, runLinked } from '../../helpers/core-world.ts';
import { openRecords } from '../../helpers/open-records.ts';
import { openOnRedis } from '../../helpers/redis-ledger.ts';
import { startRedis, withoutRedis } from '../../helpers/redis-server.ts';

const TWO_HOURS_MS = 7_200_000;
const SIXTEEN_MINUTES_MS = 960_000;
const OPTIONS = { bulk: { chunkSize: 2, minRecipients: 2 } };

function jobRequests({ service }: CoreWorld): number {
  return service.requests.filter(({ endpoint }) => endpoint === 'bulk').length;
}

/** A job under way, and about when the bot worked on it. */
async function underWay(
  options: Parameters<typeof runLinked>[1] = {},
): Promise<{ world: CoreWorld; first: Run; id: string; around: number }> {
  const world = await createCoreWorld({
    limits: { permits: 1000, leaseMs: 12_000, timeoutMs: 5000 },
    sandbox: { switches: { rateLimit: 1000 } },
  });
  world.service.addFault({ kind: 'delay', endpoint: 'bulk', ms: 200, when: 'before', times: 'always' });
  const first = await runLinked(world, { ...OPTIONS, ...options });
  const { id } = await startedJob(first.core, { count: 600 });
  await eventually(() => expect(jobRequests(world)).toBeGreaterThan(10));
  return { world, first, id, around: world.time.clock.wall() };
}

/** The job pauses, says since when nobody worked on it, and goes on after Resume. */
async function expectAway(world: CoreWorld, { core }: Run, id: string, around?: number): Promise<void> {
  const { pause, counts } = await jobIn(core, id, 'paused');
  expect(pause?.why).toBe('away');
  const since = pause?.why === 'away' ? pause.since : undefined;
  if (around === undefined) expect(since).toBeUndefined();
  else expect(Math.abs((since ?? 0) - around)).toBeLessThan(60_000);
  expect(counts.left).toBeGreaterThan(0);
  await eventually(async () => expect((await core.jobs.view(id))?.counts.inFlight).toBe(0));
  const before = jobRequests(world);
  expect(await core.jobs.resume(id, ANA)).toMatchObject({ kind: 'done' });
  await eventually(() => expect(jobRequests(world)).toBeGreaterThan(before));
}

describe('a job waits for a person', () => {
  test('if the bot was off for two hours', async () => {
    const { world, first, id, around } = await underWay();
    await first.stop();
    const before = jobRequests(world);
    world.time.advance(TWO_HOURS_MS);
    const second = await run(world, OPTIONS);
    await jobIn(second.core, id, 'paused');
    expect(jobRequests(world)).toBe(before);
    await expectAway(world, second, id, around);
  });

  test('if the clock was set back by two hours while the bot was off: nobody can tell since when', async () => {
    const { world, first, id } = await underWay();
    await first.stop();
    world.time.advance(-TWO_HOURS_MS);
    await expectAway(world, await run(world, OPTIONS), id);
  });

  test('if the wall clock was set back by two hours while the bot runs', async () => {
    const { world, first, id } = await underWay();
    world.time.jump('wall', -TWO_HOURS_MS);
    await expectAway(world, first, id);
  });

  test('if the machine slept for two hours', async () => {
    const { world, first, id, around } = await underWay();
    world.time.advance(TWO_HOURS_MS);
    await expectAway(world, first, id, around);
  });

  describe('if nothing of it can be sent for a quarter of an hour', () => {
    /** Time passes, while the bot looks at its clock again and again. */
    async function aQuarterOfAnHour({ time }: CoreWorld): Promise<void> {
      for (let minutes = 0; minutes < 16; minutes += 4) {
        time.advance(240_000);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }

    test('since the service gives no balance to compare with the books', async () => {
      const world = await createCoreWorld();
      await (await runLinked(world, OPTIONS)).stop();
      const body = JSON.stringify({ success: true, data: { credits: 0.5, user_id: 1, user_name: 'Acme' } });
      const odd = { kind: 'answer', endpoint: 'balance', when: 'before', status: 200, body } as const;
      world.service.addFault({ ...odd, times: 'always' });
      const { core } = await run(world, OPTIONS);
      const { id } = await startedJob(core, { count: 4 });
      await aQuarterOfAnHour(world);
      expect((await jobIn(core, id, 'paused')).pause?.why).toBe('away');
      expect(jobRequests(world)).toBe(0);
      expect(await core.jobs.resume(id, ANA)).toEqual({ kind: 'no_balance' });
      world.service.clearFaults();
      expect(await core.jobs.resume(id, ANA)).toMatchObject({ kind: 'done' });
      await jobIn(core, id, 'finished');
    });

    test.each([
      ['its API key does not open', 'sealedKey'],
      ['its instance is damaged', 'keyHint'],
    ])('since %s', async (_why, field) => {
      const world = await createCoreWorld();
      const first = await runLinked(world, { ...OPTIONS, listUndoMs: 1000 });
      const { id } = await startedJob(first.core, { count: 4 });
      await first.stop();
      const db = openDatabase(world.folder);
      onTestFinished(() => db.close());
      const damaged = field === 'sealedKey' ? 'v1.damaged' : 7;
      db.sql("UPDATE kv SET value = json_set(value, '$.value.' || ?, ?) WHERE namespace = 'instances'").run(
        field,
        damaged,
      );
      const { core } = await run(world, {
        ...OPTIONS,
        async open() {
          const booted = await boot(world);
          const { cipher } = booted;
          return {
            ...booted,
            records: openRecords(db, cipher),
          };
        },
      });
      await aQuarterOfAnHour(world);
      expect((await jobIn(core, id, 'paused')).pause?.why).toBe('away');
      expect(jobRequests(world)).toBe(0);
      // A person can still stop it.
      expect(await core.jobs.stop(id, ANA)).toMatchObject({ kind: 'done' });
    });
  });

  test.skipIf(withoutRedis)('if Redis was away for sixteen minutes and the bot was not', async () => {
    const server = await startRedis();
    onTestFinished(() => server.close());
    const { world, first, id, around } = await underWay({
      async open(world) {
        const { now, advance } = world.time;
        const clock = { now: () => Math.round(now()), advance, set() {} };
        const rig = await openOnRedis(server.url, world.limits, clock);
        onTestFinished(() => rig.close());
        const tap = tapLedger(rig.ledger);
        return { ...(await boot(world)), tap, ledger: tap.ledger };
      },
    });
    await server.kill();
    // The bot looked at its own clock meanwhile.
    world.time.advance(SIXTEEN_MINUTES_MS);
    world.time.jump('wall', -SIXTEEN_MINUTES_MS);
    await server.restart();
    await expectAway(world, first, id, around);
  });
});

test('why jobs wait is in the log once, however often the bot looks, and so is that they go on', async () => {
  const world = await createCoreWorld();
  await (await runLinked(world, OPTIONS)).stop();
  world.service.addFault({
    kind: 'answer',
    endpoint: 'balance',
    when: 'before',
    status: 500,
    times: 'always',
  });
  const { core } = await run(world, OPTIONS);
  const { id } = await startedJob(core, { count: 4 });
  const saidWhy = () => world.logged().match(/"why":"unavailable"/g);
  const reads = world.balanceRequests().length;
  await eventually(() => expect(world.balanceRequests().length).toBeGreaterThan(reads + 6));
  expect(saidWhy()).toHaveLength(1);
  world.service.clearFaults();
  await jobIn(core, id, 'finished');
  expect(saidWhy()).toHaveLength(1);
  expect(world.logged().match(/may send again/g)).toHaveLength(1);
});
