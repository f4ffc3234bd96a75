import { expect, test } from 'vitest';
import { StoreTroubleError } from '../../../src/store/store-error.ts';
import { draftedJob, jobIn, phoneAt, startedJob } from '../../helpers/core-jobs.ts';
import { ANA } from '../../helpers/core-people.ts';
import { eventually } from '../../helpers/core-sends.ts';
import { addInstance, BIRCH_KEY, createCoreWorld, linkTo, runLinked } from '../../helpers/core-world.ts';

const LIMITS = { leaseMs: 60_000, timeoutMs: 2000 };
const SMALL = { bulk: { chunkSize: 4, minRecipients: 2 } };

test('an answer is kept if the store fails beside it', async () => {
  const world = await createCoreWorld({ limits: LIMITS });
  const { core, tap } = await runLinked(world, SMALL);
  const { id } = await draftedJob(core, { count: 4 });
  world.service.setSwitches({ refusedPhones: [phoneAt(1)] });
  tap.intercept('namedState', () => async () => {
    throw new Error('disk I/O error');
  });
  await core.jobs.confirm(id, ANA, {});
  // If the bot did not settle it, nobody would know before the lease of a minute is over.
  expect(await jobIn(core, id, 'finished')).toMatchObject({ counts: { unknown: 4 }, listRefused: true });
});

test('a text that was not sent because the store failed before the request is not unknown', async () => {
  const world = await createCoreWorld({ limits: LIMITS });
  const { core, tap } = await runLinked(world, SMALL);
  let failures = 2;
  tap.intercept('funds', (real) => async (...args) => {
    failures -= 1;
    if (failures >= 0) throw new Error('disk I/O error');
    return real(...args);
  });
  const { id } = await startedJob(core, { count: 8 });
  expect(await jobIn(core, id, 'finished')).toMatchObject({ counts: { sent: 8, unknown: 0 } });
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

test('a paused job asks for the credits of its own instance, even if the channel is linked to another', async () => {
  const world = await createCoreWorld({ limits: LIMITS });
  const { core } = await runLinked(world, { ...SMALL, bulkRefusals: 'atomic' });
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
  expect(await core.links.remove(linked.link, 'U-admin')).toEqual({ kind: 'jobs_running', jobs: 1 });
  expect(await core.links.find('T1', 'C-sales')).toBeDefined();
  await jobIn(core, id, 'finished');
});

test('a chunk that the ledger handed over without an answer goes back, and is sent once', async () => {
  const world = await createCoreWorld({ limits: LIMITS });
  const { core, tap } = await runLinked(world, SMALL);
  let lost = 2;
  tap.intercept('take', (real) => async (request) => {
    const taken = await real(request);
    if (taken.kind !== 'taken' || lost === 0) return taken;
    lost -= 1;
    throw new StoreTroubleError('late', 'The connection is gone.');
  });
  const { id } = await startedJob(core, { count: 8 });
  // The job does not wait for the lease of a minute.
  expect(await jobIn(core, id, 'finished')).toMatchObject({ counts: { sent: 8, unknown: 0 } });
  expect(lost).toBe(0);
  expect(world.service.requests.filter(({ path }) => path.endsWith('/send-bulk'))).toHaveLength(2);
});

test('a chunk that was handed over without an answer is not requested, however soon the bot asks again', async () => {
  const world = await createCoreWorld({ limits: LIMITS });
  const { core, tap } = await runLinked(world, SMALL);
  const tokens: string[] = [];
  const outOfReach: unknown[] = [];
  tap.intercept('mergeDetails', (real) => async (id, details) => {
    outOfReach.push(details.outOfReachSince);
    return real(id, details);
  });
  tap.intercept('take', (real) => async (request) => {
    const taken = await real(request);
    if (taken.kind !== 'taken') return taken;
    tokens.push(request.token);
    if (tokens.length > 1) return taken;
    // The bot looks for work again at once.
    throw new StoreTroubleError('late', 'Too few replicas of Redis confirmed the step (0).');
  });
  const settled: string[] = [];
  tap.intercept('settle', (real) => async (ref, token, settlement) => {
    if (token === tokens[0]) settled.push(`${settlement.to} ${String(settlement.request)}`);
    return real(ref, token, settlement);
  });
  const { id } = await startedJob(core, { count: 4 });
  await startedJob(core, { count: 4 });
  expect(await jobIn(core, id, 'finished')).toMatchObject({ counts: { sent: 4, unknown: 0 } });
  expect(settled).toEqual(['pending never_started']);
  // That the bot was late says nothing of the service.
  expect(outOfReach.filter((since) => since !== undefined)).toEqual([]);
});
