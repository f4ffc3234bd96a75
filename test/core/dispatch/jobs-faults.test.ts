import { describe, expect, test } from 'vitest';
import { draftedJob, jobIn, phoneAt, startedJob } from '../../helpers/core-jobs.ts';
import { ANA } from '../../helpers/core-people.ts';
import { confirmed, ended, eventually } from '../../helpers/core-sends.ts';
import {
  ACME,
  addInstance,
  BIRCH_KEY,
  type CoreWorld,
  createCoreWorld,
  linkTo,
  runLinked,
} from '../../helpers/core-world.ts';

const LIMITS = { leaseMs: 60_000, timeoutMs: 2000 };
const SMALL = { bulk: { chunkSize: 4, mostCharacters: 1000 } };
/** Processed and charged, and yet refused: the document leaves open what the service does with part of a request. */
const REFUSED_AFTER = {
  kind: 'answer',
  endpoint: 'bulk',
  when: 'after',
  status: 422,
  body: JSON.stringify({ success: false, error: { code: 'VALIDATION_ERROR', message: 'some are bad' } }),
} as const;

function mostArrivals({ service }: CoreWorld): number {
  const found = new Map<string, number>();
  for (const { phone } of service.messages) found.set(phone, (found.get(phone) ?? 0) + 1);
  return Math.max(0, ...found.values());
}

describe('the balance proves nothing', () => {
  test('where a top-up during the job hides the charge', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    let calls = 0;
    let turn: Promise<unknown> = Promise.resolve();
    const { core } = await runLinked(world, {
      ...SMALL,
      prepare({ sms }) {
        const { sendBulk } = sms;
        // One at a time, and a top-up before the third.
        sms.sendBulk = (...args) => {
          const sent = turn.then(() => {
            calls += 1;
            if (calls === 2) world.service.setCredits(ACME, world.service.credits(ACME) + 4);
            return sendBulk(...args);
          });
          turn = sent.catch(() => undefined);
          return sent;
        };
      },
    });
    world.service.addFault({ ...REFUSED_AFTER, skip: 2 });
    const { id } = await startedJob(core, { count: 12 });
    const job = await jobIn(core, id, 'finished');
    expect(mostArrivals(world)).toBe(1);
    expect(job.counts).toMatchObject({ sent: 8, unknown: 4 });
  });

  test('where texts are free', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    world.service.setSwitches({ price: { per: 'message', credits: 0 } });
    const { core } = await runLinked(world, SMALL);
    await jobIn(core, (await startedJob(core, { count: 4 })).id, 'finished');
    world.service.addFault(REFUSED_AFTER);
    const before = world.service.messages.length;
    const { id } = await startedJob(core, { count: 4 });
    const job = await jobIn(core, id, 'finished');
    expect(world.service.messages.length - before).toBe(4);
    expect(job.counts).toMatchObject({ unknown: 4 });
  });
});

test('a balance that can’t be read takes no permits from people', async () => {
  const world = await createCoreWorld({ limits: { ...LIMITS, leaseMs: 30_000, permits: 20 } });
  const { core } = await runLinked(world, SMALL);
  const { id } = await draftedJob(core, { count: 4 });
  world.service.setSwitches({ refusedPhones: [phoneAt(1)] });
  world.service.addFault({ kind: 'server_error', endpoint: 'balance', times: 'always' });
  await core.jobs.confirm(id, ANA, {});
  expect(await jobIn(core, id, 'finished')).toMatchObject({ counts: { unknown: 4 } });
  expect((await ended(core, (await confirmed(core)).id)).outcome).toBe('sent');
});

test('an answer that waits for proof is kept where the ledger fails meanwhile', async () => {
  const world = await createCoreWorld({ limits: LIMITS });
  const { core, tap } = await runLinked(world, SMALL);
  const { id } = await draftedJob(core, { count: 4 });
  world.service.setSwitches({ refusedPhones: [phoneAt(1)] });
  tap.intercept('recordBalance', () => async () => {
    throw new Error('disk I/O error');
  });
  await core.jobs.confirm(id, ANA, {});
  // Without it, nobody would know before the lease of a minute is over.
  expect(await jobIn(core, id, 'finished')).toMatchObject({ counts: { unknown: 4 } });
});

test('a job that was decided is never answered as a failure', async () => {
  const world = await createCoreWorld({ limits: LIMITS });
  const { core, tap } = await runLinked(world, SMALL);
  const { id } = await draftedJob(core, { count: 4 });
  tap.intercept('announce', (real) => async (row) => {
    if (row.subject === id) throw new Error('disk I/O error');
    return real(row);
  });
  expect(await core.jobs.confirm(id, ANA, {})).toMatchObject({ kind: 'running' });
  await jobIn(core, id, 'finished');
});

test('a paused job asks for the credits of its own instance, whatever the channel is linked to by now', async () => {
  const world = await createCoreWorld({ limits: LIMITS });
  const { core } = await runLinked(world, SMALL);
  const { id } = await draftedJob(core, { count: 8 });
  world.service.addFault({ kind: 'no_credits', endpoint: 'bulk', times: 'always' });
  await core.jobs.confirm(id, ANA, {});
  await jobIn(core, id, 'paused');
  await eventually(async () => expect((await core.jobs.view(id))?.counts.inFlight).toBe(0));
  world.service.clearFaults();
  const birch = await addInstance(core, BIRCH_KEY, 'Birch');
  await linkTo(core, birch);
  expect(await core.jobs.resume(id, ANA)).toMatchObject({ kind: 'done' });
  expect(await jobIn(core, id, 'finished')).toMatchObject({ counts: { sent: 8 } });
});

test('a job that is confirmed while its channel is being unlinked keeps the link', async () => {
  const world = await createCoreWorld({ limits: LIMITS });
  const { core, tap } = await runLinked(world, SMALL);
  const { id } = await draftedJob(core, { count: 8 });
  let first = true;
  tap.intercept('openSends', (real) => async (instance) => {
    const open = await real(instance);
    if (first) {
      first = false;
      await core.jobs.confirm(id, ANA, {});
    }
    return open;
  });
  world.service.addFault({ kind: 'delay', endpoint: 'bulk', ms: 300, when: 'before', times: 'always' });
  const linked = await core.links.find('T1', 'C-sales');
  if (!linked) throw new Error('not linked');
  expect(await core.links.remove(linked.link)).toEqual({ kind: 'jobs_running', jobs: 1 });
  expect(await core.links.find('T1', 'C-sales')).toBeDefined();
  await jobIn(core, id, 'finished');
});
