import { setTimeout as sleep } from 'node:timers/promises';
import { aroundEach, describe, expect, test } from 'vitest';
import { accounts } from '../../../src/ledger/accounts/account-documents.ts';
import { createSmsClient } from '../../../src/sms/client.ts';
import { addressOf } from '../../../src/store/collection.ts';
import { createSqliteEngine } from '../../../src/store/sqlite/engine.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { draftedJob, jobIn, startedJob } from '../../helpers/core-jobs.ts';
import { ADMIN, ANA } from '../../helpers/core-people.ts';
import { eventually } from '../../helpers/core-sends.ts';
import { ACME, type CoreWorld, createCoreWorld, type Run, run, runLinked } from '../../helpers/core-world.ts';
import { damageDocument } from '../../helpers/damage-document.ts';
import { asOneOfMany, whenOver } from '../../helpers/side-by-side.ts';

aroundEach(asOneOfMany);

const LIMITS = { leaseMs: 60_000, timeoutMs: 2000 };
const SMALL = { bulk: { chunkSize: 4, minRecipients: 2 } };

/** The job makes forty requests, up to 16 at once: fewer than jobs have permits in a minute. */
const COUNT = 160;
/** The most texts in flight at once: those of 16 requests. */
const ON_THEIR_WAY = 16 * SMALL.bulk.chunkSize;

/** A bot died after a few requests of a job. */
async function diedInMidJob(
  world: CoreWorld,
  before: (running: Awaited<ReturnType<typeof runLinked>>) => Promise<void> = async () => {},
): Promise<string> {
  const first = await runLinked(world, SMALL);
  await before(first);
  world.service.addFault({ kind: 'delay', endpoint: 'bulk', ms: 200, when: 'before', times: 'always' });
  const { id } = await startedJob(first.core, { count: COUNT });
  await eventually(async () => {
    expect((await first.core.jobs.view(id))?.counts.sent).toBeGreaterThan(0);
  });
  first.kill();
  // Requests in flight still arrive.
  for (let seen = -1; seen !== world.service.requests.length; await sleep(300)) {
    seen = world.service.requests.length;
  }
  world.service.clearFaults();
  return id;
}

const requestsOf = ({ service }: CoreWorld) => service.requests.map(({ endpoint }) => endpoint);

function startAgain(world: CoreWorld): Promise<Run> {
  return run(world, SMALL);
}

describe.concurrent('a job that goes on after a start', () => {
  test('waits for one balance read, and goes on if the books agree', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const id = await diedInMidJob(world);
    await eventually(() =>
      expect(world.service.requests.every(({ status }) => status !== undefined)).toBe(true),
    );
    const before = requestsOf(world).length;
    const { core } = await startAgain(world);
    const { counts } = await jobIn(core, id, 'finished');
    expect(requestsOf(world)[before]).toBe('balance');
    expect(counts.sent + counts.unknown).toBe(COUNT);
    expect(new Set(world.service.messages.map(({ phone }) => phone)).size).toBe(
      world.service.messages.length,
    );
  });

  test('remembers since when no balance can be read, since the service is out of reach', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const id = await diedInMidJob(world);
    const nowhere = createSmsClient({ baseUrl: 'http://127.0.0.1:9/api/v1', timeoutMs: 2000 });
    whenOver(() => nowhere.close());
    let isBack = false;
    const { core } = await run(world, {
      ...SMALL,
      prepare({ sms }) {
        const { balance } = sms;
        sms.balance = (...args) => (isBack ? balance(...args) : nowhere.balance(...args));
      },
    });
    await eventually(async () => {
      const { state, details } = (await core.jobs.view(id)) ?? expect.fail('the job is gone');
      expect([state, typeof details.outOfReachSince]).toEqual(['running', 'number']);
    });
    isBack = true;
    expect((await jobIn(core, id, 'finished')).details.outOfReachSince).toBeUndefined();
  });

  test('pauses if credits are missing, says how many, and goes on when a person resumes it', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const id = await diedInMidJob(world);
    world.service.setCredits(ACME, world.service.credits(ACME) - 300);
    const before = requestsOf(world).length;
    const { core } = await startAgain(world);
    const paused = await jobIn(core, id, 'paused');
    expect(paused.pause).toEqual({ why: 'books' });
    await eventually(async () => {
      // The unknown texts may have cost credits, so the bot subtracts their price.
      expect((await core.jobs.view(id))?.details.missing).toBeGreaterThanOrEqual(300 - ON_THEIR_WAY);
    });
    expect(requestsOf(world).slice(before)).not.toContain('bulk');
    expect(await core.jobs.resume(id, ANA)).toMatchObject({ kind: 'done' });
    const { details, counts } = await jobIn(core, id, 'finished');
    expect(details.missing).toBeUndefined();
    expect(counts.left).toBe(0);
  });

  test('pauses if the account’s document is damaged: nobody could notice an old copy', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const id = await diedInMidJob(world);
    const db = openDatabase(world.folder);
    whenOver(() => db.close());
    const [account] = db.raw.prepare('SELECT id FROM d_accounts').all() as [{ id: string }];
    await damageDocument(createSqliteEngine(db), addressOf(accounts, account.id));
    const before = requestsOf(world).length;
    const { core } = await startAgain(world);
    const paused = await jobIn(core, id, 'paused');
    expect([paused.pause, paused.details.missing]).toEqual([{ why: 'books' }, undefined]);
    expect(requestsOf(world).slice(before)).not.toContain('bulk');
    expect(await core.jobs.resume(id, ANA)).toMatchObject({ kind: 'done' });
    expect((await jobIn(core, id, 'finished')).counts.left).toBe(0);
  });

  test('goes on if other programs use the key too, and its card tells', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const id = await diedInMidJob(world, ({ core, instance }) =>
      core.refusals.setShared(instance, true, ADMIN.id),
    );
    world.service.setCredits(ACME, world.service.credits(ACME) - 300);
    const { core } = await startAgain(world);
    const { details } = await jobIn(core, id, 'finished');
    expect(details.missing).toBeGreaterThan(0);
  });

  test('waits while the balance can’t be read, without taking the permits that people need', async () => {
    const world = await createCoreWorld({ limits: { ...LIMITS, permits: 20 } });
    const id = await diedInMidJob(world);
    world.service.addFault({ kind: 'server_error', endpoint: 'balance', times: 'always' });
    const before = requestsOf(world).length;
    const { core } = await startAgain(world);
    await eventually(() => expect(requestsOf(world).length).toBeGreaterThan(before + 2));
    expect(requestsOf(world).slice(before)).not.toContain('bulk');
    expect((await core.jobs.view(id))?.state).toBe('running');
    world.service.clearFaults();
  });

  test('takes nothing more if the bot is stopped during that read', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const id = await diedInMidJob(world);
    const before = requestsOf(world).length;
    world.service.addFault({ kind: 'delay', endpoint: 'balance', ms: 500, when: 'before' });
    const { core } = await startAgain(world);
    await eventually(() => expect(requestsOf(world).slice(before)).toContain('balance'));
    await core.stop();
    expect(requestsOf(world).slice(before)).not.toContain('bulk');
    expect((await core.jobs.view(id))?.counts.left).toBeGreaterThan(0);
  });

  test('pauses if its key is refused by then', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const id = await diedInMidJob(world);
    world.service.addFault({ kind: 'key_revoked', endpoint: 'any', times: 'always' });
    const { core } = await startAgain(world);
    expect((await jobIn(core, id, 'paused')).pause).toEqual({ why: 'key_refused' });
    world.service.clearFaults();
    expect(await core.jobs.resume(id, ANA)).toMatchObject({ kind: 'done' });
    await jobIn(core, id, 'finished');
  });
});

test('a paused job is compared with the books before it goes on', async () => {
  const world = await createCoreWorld({ limits: LIMITS });
  const { core } = await runLinked(world, SMALL);
  const { id } = await draftedJob(core, { count: 40 });
  world.service.addFault({ kind: 'delay', endpoint: 'bulk', ms: 200, when: 'before', times: 'always' });
  await core.jobs.confirm(id, ANA, {});
  await core.jobs.pause(id, ANA);
  await eventually(async () => expect((await core.jobs.view(id))?.counts.inFlight).toBe(0));
  world.service.setCredits(ACME, world.service.credits(ACME) - 7);
  expect(await core.jobs.resume(id, ANA)).toMatchObject({ kind: 'books', view: { details: { missing: 7 } } });
  expect((await core.jobs.view(id))?.state).toBe('paused');
  expect(await core.jobs.resume(id, ANA)).toMatchObject({ kind: 'done' });
  expect((await jobIn(core, id, 'finished')).counts).toMatchObject({ sent: 40 });
});

test('a job waits if the wall clock jumped two hours', async () => {
  const world = await createCoreWorld({ limits: LIMITS });
  const { core } = await runLinked(world, SMALL);
  world.service.addFault({ kind: 'delay', endpoint: 'bulk', ms: 200, when: 'before', times: 'always' });
  const { id } = await startedJob(core, { count: 200 });
  const before = world.time.clock.wall();
  world.time.jump('wall', 7_200_000);
  const { pause, counts } = await jobIn(core, id, 'paused');
  expect(pause).toMatchObject({ why: 'away' });
  expect(Math.abs((pause as { since: number }).since - before)).toBeLessThan(60_000);
  expect(counts.left).toBeGreaterThan(0);
});
