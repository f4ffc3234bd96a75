import { describe, expect, onTestFinished, test } from 'vitest';
import { namedStates } from '../../../src/ledger/accounts/named-states.ts';
import { addressOf } from '../../../src/store/collection.ts';
import { createSqliteEngine } from '../../../src/store/sqlite/engine.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { jobIn, phoneAt, startedJob } from '../../helpers/core-jobs.ts';
import { ADMIN, ANA } from '../../helpers/core-people.ts';
import { eventually } from '../../helpers/core-sends.ts';
import { ACME, type CoreWorld, createCoreWorld, type Run, run, runLinked } from '../../helpers/core-world.ts';
import { damageDocument } from '../../helpers/damage-document.ts';

const LIMITS = { leaseMs: 60_000, timeoutMs: 2000 };
const SMALL = { bulk: { chunkSize: 4, minRecipients: 2 } };

/** The service sends and charges, and yet refuses: its document leaves open what happens to the rest of a request. */
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

function requestsTo({ service }: CoreWorld, endpoint: 'bulk' | 'send' | 'balance') {
  return service.requests.filter((request) => request.endpoint === endpoint);
}

async function paused({ core }: Run, id: string) {
  await jobIn(core, id, 'paused');
  return eventually(async () => {
    const view = await core.jobs.view(id);
    if (view?.counts.inFlight !== 0) throw new Error('something is in flight');
    return view;
  });
}

describe('a refused bulk request', () => {
  test.each([
    ['charged', undefined],
    ['free', { per: 'message', credits: 0 } as const],
  ])('that was sent all the same, %s: nobody twice, and what is unknown is called so', async (_, price) => {
    const world = await createCoreWorld({ limits: LIMITS });
    if (price) world.service.setSwitches({ price });
    const run = await runLinked(world, SMALL);
    world.service.addFault({ ...REFUSED_AFTER, times: 'always' });
    const { id } = await startedJob(run.core, { count: 40 });
    const view = await paused(run, id);
    expect(view.pause).toMatchObject({ why: 'list_refused', reason: 'validation', messages: 4 });
    expect(view.counts.unknown).toBe(world.service.messages.length);
    expect(view.counts).toMatchObject({ sent: 0, left: 40 - view.counts.unknown });
    expect(mostArrivals(world)).toBe(1);
  });

  test('for a 401 that the service does not document is unknown: Resume texts none of it again', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    // Texts are free, so the balance shows nothing.
    world.service.setSwitches({ price: { per: 'message', credits: 0 } });
    const run = await runLinked(world, SMALL);
    const body = JSON.stringify({
      success: false,
      error: { code: 'SESSION_EXPIRED', message: 'The instance was logged out.' },
    });
    world.service.addFault({ ...REFUSED_AFTER, status: 401, body });
    const { id } = await startedJob(run.core, { count: 12 });
    const view = await paused(run, id);
    expect(view.pause).toMatchObject({ why: 'list_refused', reason: 'other' });
    expect(await run.core.jobs.resume(id, ANA)).toMatchObject({ kind: 'done' });
    expect((await jobIn(run.core, id, 'finished')).counts).toMatchObject({ unknown: 4, sent: 8 });
    expect(mostArrivals(world)).toBe(1);
  });

  test.each([402, 403])('for another reason (%s) is unknown and pauses the job, too', async (status) => {
    const world = await createCoreWorld({ limits: LIMITS });
    const run = await runLinked(world, SMALL);
    const body = JSON.stringify({
      success: false,
      error: { code: 'X', message: 'no', required_credits: 4, available_credits: 1 },
    });
    world.service.addFault({ ...REFUSED_AFTER, status, body });
    const { id } = await startedJob(run.core, { count: 12 });
    const view = await paused(run, id);
    expect(view.pause).toMatchObject({ why: 'list_refused', reason: status === 402 ? 'credits' : 'other' });
    expect(view.counts.unknown).toBe(4);
    expect(mostArrivals(world)).toBe(1);
  });

  test('goes on one by one: each of the rest has an answer of its own, and nobody is texted twice', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    world.service.setSwitches({ refusedPhones: [phoneAt(1), phoneAt(38)] });
    const run = await runLinked(world, SMALL);
    const { id } = await startedJob(run.core, { count: 40 });
    const { counts, msOneByOne } = await paused(run, id);
    expect(counts.unknown).toBeGreaterThanOrEqual(4);
    expect(msOneByOne).toBe(0);
    const bulkBefore = requestsTo(world, 'bulk').length;
    expect(await run.core.jobs.resume(id, ANA, { oneByOne: true })).toMatchObject({ kind: 'done' });
    const view = await jobIn(run.core, id, 'finished');
    expect(requestsTo(world, 'bulk')).toHaveLength(bulkBefore);
    expect(view.counts).toMatchObject({ unknown: counts.unknown, rejected: 1 });
    expect(view.counts.sent).toBe(40 - counts.unknown - 1);
    expect(mostArrivals(world)).toBe(1);
  });

  test('pauses also for people who pressed Resume for the pause before: they have not read its new reason', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const run = await runLinked(world, SMALL);
    world.service.addFault({ ...REFUSED_AFTER, times: 'always' });
    const { id } = await startedJob(run.core, { count: 200 });
    await paused(run, id);
    const { resume } = run.core.jobs;
    let hasMet = false;
    run.tap.intercept('resume', (real) => async (...args) => {
      if (!hasMet) {
        hasMet = true;
        expect(await resume(id, ADMIN)).toMatchObject({ kind: 'done' });
        await paused(run, id);
      }
      return real(...args);
    });
    const before = world.service.messages.length;
    expect(await resume(id, ANA)).toMatchObject({ kind: 'not_now', view: { state: 'paused' } });
    const { counts } = await paused(run, id);
    expect(counts.unknown).toBeGreaterThan(before);
    expect(counts.unknown).toBe(world.service.messages.length);
  });

  test('goes on in bulk, if the person takes the risk', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    world.service.setSwitches({ refusedPhones: [phoneAt(1)] });
    const run = await runLinked(world, SMALL);
    const { id } = await startedJob(run.core, { count: 40 });
    await paused(run, id);
    await run.core.jobs.resume(id, ANA);
    const view = await jobIn(run.core, id, 'finished');
    expect(view.counts).toMatchObject({ sent: 36, unknown: 4 });
  });

  test('is resent one by one on a person’s word, however long it is', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    world.service.setSwitches({ refusedPhones: [phoneAt(1)] });
    const run = await runLinked(world, SMALL);
    const { id } = await startedJob(run.core, { count: 4 });
    expect((await jobIn(run.core, id, 'finished')).counts).toMatchObject({ unknown: 4 });
    world.time.advance(LIMITS.leaseMs + 1);
    const again = await run.core.jobs.draftResend(id, ANA, {});
    if (again.kind !== 'draft') throw new Error(again.kind);
    expect(again.preview.view.details.oneByOne).toBe(true);
    await run.core.jobs.confirm(again.preview.view.id, ANA, {});
    expect((await jobIn(run.core, again.preview.view.id, 'finished')).counts).toMatchObject({
      sent: 3,
      rejected: 1,
    });
    expect(requestsTo(world, 'bulk')).toHaveLength(1);
  });
});

test('a stopped resend that reached a text of a request gives nothing of that request back: nobody gets a text twice', async () => {
  const world = await createCoreWorld({ limits: LIMITS });
  world.service.addFault({ ...REFUSED_AFTER, when: 'before' });
  const { core } = await runLinked(world, SMALL);
  const { id } = await startedJob(core, { count: 4 });
  await jobIn(core, id, 'finished');
  world.time.advance(LIMITS.leaseMs + 1);
  // The bot makes all four requests at once, and the service answers 429 to three.
  world.service.addFault({ kind: 'rate_limited', endpoint: 'send', skip: 1, times: 'always' });
  const resend = await core.jobs.draftResend(id, ANA, {});
  if (resend.kind !== 'draft') throw new Error(resend.kind);
  const first = resend.preview.view;
  await core.jobs.confirm(first.id, ANA, {});
  await eventually(async () => {
    expect((await core.jobs.view(first.id))?.counts).toMatchObject({ sent: 1, left: 3, inFlight: 0 });
  });
  expect(await core.jobs.view(id)).toMatchObject({ decidable: 0, resentAs: first.id });
  await core.jobs.stop(first.id, ANA);
  expect(await core.jobs.view(id)).toMatchObject({ counts: { unknown: 4 }, decidable: 0 });
  expect(await core.jobs.draftResend(id, ANA, {})).toMatchObject({ kind: 'resent_already' });
  expect(world.service.messages).toHaveLength(1);
});

describe('a short list', () => {
  test('makes no bulk request: of 20 with one bad number the other 19 get it once', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    world.service.setSwitches({ refusedPhones: [phoneAt(7)] });
    const { core } = await runLinked(world);
    const { id } = await startedJob(core, { count: 20 });
    const view = await jobIn(core, id, 'finished');
    expect(view.counts).toMatchObject({ sent: 19, rejected: 1, unknown: 0 });
    expect(view.creditsUsed).toBe(19);
    expect(requestsTo(world, 'bulk')).toHaveLength(0);
    expect(world.service.messages).toHaveLength(19);
    expect(mostArrivals(world)).toBe(1);
  });

  test('ends at 50 recipients; 51 go in bulk', async () => {
    const world = await createCoreWorld({ limits: { ...LIMITS, permits: 200 } });
    world.service.setSwitches({ rateLimit: 200 });
    const { core } = await runLinked(world);
    await jobIn(core, (await startedJob(core, { count: 50 })).id, 'finished');
    expect(requestsTo(world, 'bulk')).toHaveLength(0);
    await jobIn(core, (await startedJob(core, { count: 51 })).id, 'finished');
    expect(requestsTo(world, 'bulk')).toHaveLength(1);
    expect(world.service.messages).toHaveLength(101);
  });
});

describe('an instance that refuses lists whole', () => {
  test('is unproven again when more credits are gone after a job than its receipts say, and the admins hear of it once', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const { core, instance, posted } = await runLinked(world, { ...SMALL, admins: ['UADMIN'] });
    await core.refusals.set(instance, 'atomic', ADMIN.id);
    expect(await core.refusals.of(instance)).toMatchObject({ mode: 'atomic', by: ADMIN.id });
    world.service.addFault(REFUSED_AFTER);
    await jobIn(core, (await startedJob(core, { count: 4 })).id, 'finished');
    await eventually(async () => {
      expect(await core.refusals.of(instance)).toMatchObject({ mode: 'unproven', by: 'books' });
    });
    await eventually(() => {
      const told = posted.filter(({ topic }) => topic === 'refusals').map(({ details }) => details);
      expect(told).toContainEqual(expect.objectContaining({ user: 'UADMIN', missing: 4 }));
    });
  });

  test('falls back, too, when another bot is the first to see that they are gone', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const { core, instance } = await runLinked(world, { ...SMALL, bulkRefusals: 'atomic' });
    const other = await run(world, { ...SMALL, bulkRefusals: 'atomic' });
    await other.core.credit.readFresh(instance, 'interactive');
    await jobIn(core, (await startedJob(core, { count: 4 })).id, 'finished');
    await core.credit.readFresh(instance, 'interactive');
    expect(await core.refusals.of(instance)).toMatchObject({ mode: 'atomic' });
    // The service books a charge late.
    world.service.setCredits(ACME, world.service.credits(ACME) - 4);
    await other.core.credit.readFresh(instance, 'interactive');
    expect(await core.refusals.of(instance)).toMatchObject({ mode: 'unproven', by: 'books' });
  });

  test('is unproven if a later version has set a rule that this one does not know', async () => {
    const { core, ledger, instance } = await runLinked(await createCoreWorld(), { bulkRefusals: 'atomic' });
    expect((await core.refusals.of(instance)).mode).toBe('atomic');
    const change = { from: undefined, to: 'in_order', details: { by: ADMIN.id } };
    await ledger.changeState(`refusals:T1/${instance.id}`, change);
    expect(await core.refusals.of(instance)).toMatchObject({ mode: 'unproven', by: ADMIN.id });
  });

  test('is unproven if the store has damaged its rule: the damaged one may have been the safe one', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const { core, instance } = await runLinked(world, { ...SMALL, bulkRefusals: 'atomic' });
    await core.refusals.set(instance, 'unproven', ADMIN.id);
    const db = openDatabase(world.folder);
    onTestFinished(() => db.close());
    const rule = addressOf(namedStates, `refusals:T1/${instance.id}`);
    await damageDocument(createSqliteEngine(db), rule);
    expect((await core.refusals.of(instance)).mode).toBe('unproven');
    await core.refusals.set(instance, 'atomic', ADMIN.id);
    expect((await core.refusals.of(instance)).mode).toBe('atomic');
  });

  test('stays so if the books agree', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    world.service.setSwitches({ refusedPhones: [phoneAt(1)] });
    const { core, instance } = await runLinked(world, { ...SMALL, bulkRefusals: 'atomic' });
    await jobIn(core, (await startedJob(core, { count: 12 })).id, 'finished');
    const reads = requestsTo(world, 'balance').length;
    await core.credit.readFresh(instance, 'interactive');
    expect(requestsTo(world, 'balance').length).toBeGreaterThan(reads);
    expect(await core.refusals.of(instance)).toEqual({ mode: 'atomic' });
  });
});

describe('a job that the balance can’t pay for', () => {
  test('pauses before the request, with the needed and the available credits, and goes on after a top-up', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const run = await runLinked(world, SMALL);
    const { core } = run;
    const { id } = await startedJob(core, { count: 0 + 40, template: 'Hello {2}' });
    // Somebody else spends meanwhile, and the receipts show it.
    world.service.setCredits(ACME, 10);
    const view = await paused(run, id);
    expect(view.pause).toMatchObject({ why: 'credits', required: 4 });
    expect(requestsTo(world, 'bulk').every(({ status }) => status === 201)).toBe(true);
    expect(view.counts).toMatchObject({ unknown: 0, rejected: 0 });
    world.service.setCredits(ACME, 1000);
    expect(await core.jobs.resume(id, ANA)).toMatchObject({ kind: 'done' });
    expect((await jobIn(core, id, 'finished')).counts).toMatchObject({ sent: 40 });
    expect(mostArrivals(world)).toBe(1);
  });

  test('asks the service first: somebody may have topped up', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const { core } = await runLinked(world, SMALL);
    const draft = await startedJob(core, { count: 8 });
    await jobIn(core, draft.id, 'finished');
    world.service.setCredits(ACME, 8);
    await core.credit.read((await core.instances.list('T1'))[0] as never, 'interactive');
    const { id } = await startedJob(core, { count: 8 });
    world.service.setCredits(ACME, 1000);
    expect((await jobIn(core, id, 'finished')).counts).toMatchObject({ sent: 8 });
  });
});
