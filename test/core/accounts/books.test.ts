import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Core } from '../../../src/core/core.ts';
import { jobIn, startedJob } from '../../helpers/core-jobs.ts';
import { ADMIN, ANA } from '../../helpers/core-people.ts';
import { eventually } from '../../helpers/core-sends.ts';
import { ACME, type CoreWorld, createCoreWorld, run, runLinked } from '../../helpers/core-world.ts';

const OPTIONS = { bulk: { chunkSize: 2, minRecipients: 2 } };
/** `slowWorld` sends ten chunks at a time, so this job runs for many seconds. */
const LONG = { count: 600 };
/** An account waits less than this between two comparisons of its books. */
const SOME_LOOKS_MS = 2500;

function jobRequests({ service }: CoreWorld) {
  return service.requests.filter(({ endpoint }) => endpoint === 'bulk');
}

/** A world with a slow service, and a rate limit that no test reaches. */
async function slowWorld(): Promise<CoreWorld> {
  const world = await createCoreWorld({
    limits: { permits: 1000, leaseMs: 12_000, timeoutMs: 5000 },
    sandbox: { switches: { rateLimit: 1000 } },
  });
  world.service.addFault({ kind: 'delay', endpoint: 'bulk', ms: 300, when: 'before', times: 'always' });
  return world;
}

/** A job whose bot is stopped while the job runs. */
async function interrupted(world: CoreWorld, isShared = false): Promise<{ id: string; requests: number }> {
  const { core, instance, stop } = await runLinked(world, OPTIONS);
  await core.refusals.setShared(instance, isShared, ADMIN.id);
  const { id } = await startedJob(core, LONG);
  await eventually(() => expect(jobRequests(world).length).toBeGreaterThan(10));
  await stop();
  return { id, requests: jobRequests(world).length };
}

function spend({ service }: CoreWorld, credits: number): void {
  service.setCredits(ACME, service.credits(ACME) - credits);
}

function missingOf(core: Core, id: string) {
  return core.jobs.view(id).then((job) => job?.details.missing);
}

test('missing credits at a start pause the job; credits that are missing later do not hide that', async () => {
  const world = await slowWorld();
  const { id, requests } = await interrupted(world);
  spend(world, 60);
  const second = await run(world, OPTIONS);
  expect((await jobIn(second.core, id, 'paused')).pause).toEqual({ why: 'books' });
  await eventually(async () => expect(await missingOf(second.core, id)).toBe(60));
  await second.stop();
  spend(world, 3);
  const third = await run(world, OPTIONS);
  const [instance] = await third.core.instances.list('T1');
  if (!instance) throw new Error('no instance');
  await third.core.credit.readFresh(instance, 'interactive');
  expect(await missingOf(third.core, id)).toBe(60);
  expect(jobRequests(world)).toHaveLength(requests);
});

test('Resume says it again if more is missing than the card said', async () => {
  const world = await slowWorld();
  const { id } = await interrupted(world);
  spend(world, 3);
  const { core } = await run(world, OPTIONS);
  await eventually(async () => expect(await missingOf(core, id)).toBe(3));
  spend(world, 60);
  expect(await core.jobs.resume(id, ANA)).toMatchObject({
    kind: 'books',
    view: { details: { missing: 60 } },
  });
  expect(await core.jobs.resume(id, ANA)).toMatchObject({ kind: 'done', view: { details: {} } });
  expect(await missingOf(core, id)).toBeUndefined();
});

test('a key that other programs use: the job goes on and says so, until the books agree again', async () => {
  const world = await slowWorld();
  const { id } = await interrupted(world, true);
  spend(world, 5);
  const second = await run(world, OPTIONS);
  await eventually(async () => expect(await missingOf(second.core, id)).toBe(5));
  expect((await second.core.jobs.view(id))?.state).toBe('running');
  await second.stop();
  const third = await run(world, OPTIONS);
  await eventually(async () => expect(await missingOf(third.core, id)).toBeUndefined());
  expect((await third.core.jobs.view(id))?.state).toBe('running');
});

test('a Resume while nobody can compare the books is refused, and lets no other job go on', async () => {
  const world = await slowWorld();
  const first = await runLinked(world, OPTIONS);
  const [running, paused] = [await startedJob(first.core, LONG), await startedJob(first.core, LONG)];
  await first.core.jobs.pause(paused.id, ANA);
  await first.stop();
  spend(world, 60);
  const before = jobRequests(world).length;
  const second = await run(world, {
    ...OPTIONS,
    // People send texts all the time.
    prepare({ tap }) {
      tap.intercept('markBalanceRead', (real) => async (account) => ({
        ...(await real(account)),
        nothingSending: false,
      }));
      tap.intercept('permitBalanceRead', (real) => async (...args) => {
        const taken = await real(...args);
        return taken.kind === 'wait'
          ? taken
          : { ...taken, marker: { ...taken.marker, nothingSending: false } };
      });
    },
  });
  await sleep(SOME_LOOKS_MS);
  expect(await second.core.jobs.resume(paused.id, ANA)).toEqual({ kind: 'no_balance' });
  await sleep(SOME_LOOKS_MS);
  expect(jobRequests(world)).toHaveLength(before);
  expect((await second.core.jobs.view(running.id))?.state).toBe('running');
  // Texts were being sent, so no read could count: the bot made only the poll's and the Resume's.
  expect(world.balanceRequests().length).toBeLessThan(6);
});

test('a Resume while another job is under way: the books are compared before either goes on', async () => {
  const world = await slowWorld();
  const { core } = await runLinked(world, OPTIONS);
  const paused = await startedJob(core, LONG);
  await core.jobs.pause(paused.id, ANA);
  const running = await startedJob(core, { ...LONG, template: 'Other {2}' });
  await eventually(() => expect(jobRequests(world).length).toBeGreaterThan(12));
  spend(world, 60);
  expect(await core.jobs.resume(paused.id, ANA)).toMatchObject({ kind: 'done' });
  for (const { id } of [paused, running]) {
    expect((await jobIn(core, id, 'paused')).pause).toEqual({ why: 'books' });
    expect(await missingOf(core, id)).toBe(60);
  }
});
