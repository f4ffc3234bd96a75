import { expect, onTestFinished, test } from 'vitest';
import { NO_LIMITS, type SpendingLimits } from '../../../src/core/accounts/channel-limits.ts';
import { BudgetNotice } from '../../../src/core/budgets/budgets.ts';
import type { Core } from '../../../src/core/core.ts';
import { TOPICS } from '../../../src/core/topics.ts';
import { BREAKER_MAX_LIMIT } from '../../../src/ledger/model/breaker.ts';
import { createSqliteEngine } from '../../../src/store/sqlite/engine.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { aJob, draftedJob, jobIn, phoneAt, startedJob } from '../../helpers/core-jobs.ts';
import { ADMIN, ANA, aPerson, BEN } from '../../helpers/core-people.ts';
import { confirmed, drafted, ended, eventually } from '../../helpers/core-sends.ts';
import { createCoreWorld, linkTo, runLinked, saveLimits } from '../../helpers/core-world.ts';
import { damageDocument } from '../../helpers/damage-document.ts';

async function linkOf(core: Core) {
  const found = await core.links.find('T1', 'C-sales');
  if (!found) throw new Error('the channel is not linked');
  return found.link;
}

async function limited(limits: Partial<SpendingLimits>, options: { admins?: string[] } = {}) {
  const world = await createCoreWorld();
  const started = await runLinked(world, options);
  const { core } = started;
  await saveLimits(core, await linkOf(core), { ...NO_LIMITS, ...limits });
  return { world, ...started };
}

const left = async (core: Core, by = ANA.id) => core.budgets.of(await linkOf(core), by);

test('two lists fit alone but not together: one is sent, and the other reads what is left', async () => {
  const { core } = await limited({ monthlyBudget: 10 });
  const [one, other] = [
    await draftedJob(core, { count: 6 }),
    await draftedJob(core, { count: 6, person: BEN }),
  ];
  const answers = await Promise.all([
    core.jobs.confirm(one.id, ANA, null),
    core.jobs.confirm(other.id, BEN, null),
  ]);
  expect(answers.map(({ kind }) => kind).sort()).toEqual(['over_budget', 'running']);
  const over = answers.find((answer) => answer.kind === 'over_budget');
  expect(over).toMatchObject({ over: { limit: 10, asked: 6 } });
  await eventually(async () => expect((await left(core)).month).toMatchObject({ used: 6, held: 0, left: 4 }));
  expect((await left(core, 'U-nobody')).day).toMatchObject({ used: 0, held: 0 });
});

test('sent texts count, even without a limit, for the person who sent them', async () => {
  const { core } = await limited({});
  const sent = await confirmed(core);
  await ended(core, sent.id);
  const { month, day } = await left(core);
  expect(month).toMatchObject({ used: 1, held: 0 });
  expect(day).toMatchObject({ used: 1, held: 0 });
  expect(month).not.toHaveProperty('left');
  expect((await left(core, BEN.id)).day).toMatchObject({ used: 0 });
});

test('a time zone that nobody knows any more stops nobody: UTC counts', async () => {
  const { core, records } = await limited({});
  const rules = { timeZone: 'Mars/Base', whoMayOptOut: 'everyone' } as const;
  await records.workspaceRules.set('T1', { ...rules, team: 'T1', by: 'U-admin' });
  await ended(core, (await confirmed(core)).id);
  expect((await left(core)).month).toMatchObject({ used: 1 });
});

test('a daily limit is each person’s own', async () => {
  const { core } = await limited({ dailyPerPerson: 1 });
  await ended(core, (await confirmed(core)).id);
  const draft = await drafted(core);
  expect(await core.sends.confirm(draft.id, ANA, null)).toMatchObject({
    kind: 'over_budget',
    over: { person: ANA.id, limit: 1, left: 0 },
  });
  await confirmed(core, { person: BEN });
});

test('a list above the channel’s limit is refused when it is drafted, and again when it is confirmed', async () => {
  const { core, ledger } = await limited({ largestList: 5 });
  const refusal = { kind: 'list_too_long', recipients: 6, most: 5 };
  expect(await core.jobs.draft(aJob({ count: 6 }))).toEqual(refusal);
  await saveLimits(core, await linkOf(core), NO_LIMITS);
  const draft = await draftedJob(core, { count: 6 });
  await saveLimits(core, await linkOf(core), { ...NO_LIMITS, largestList: 5 });
  expect(await core.jobs.confirm(draft.id, ANA, null)).toEqual(refusal);
  expect(await ledger.find(draft.id)).toMatchObject({ state: 'draft' });
  await startedJob(core, { count: 5 });
});

test('the channel and the admins hear of 80 %, and a person of their own day in place of the channel; once each', async () => {
  const limits = { monthlyBudget: 5, dailyPerPerson: 4 };
  const { core, posted } = await limited(limits, { admins: ['U-admin'] });
  await startedJob(core, { count: 4 });
  await eventually(async () => expect((await left(core)).month).toMatchObject({ used: 4, held: 0 }));
  const told = () =>
    posted.flatMap(({ topic, details }) => (topic === TOPICS.budget ? [BudgetNotice.parse(details)] : []));
  await eventually(() => expect(told()).toHaveLength(4));
  expect(
    told()
      .map(({ to, level, limit }) => [to, level, limit])
      .sort(),
  ).toEqual([
    ['C-sales', 80, 5],
    ['U-admin', 100, 4],
    ['U-admin', 80, 5],
    [ANA.id, 100, 4],
  ]);
});

test('a list that gets dearer than its month pauses, and holds its rest at that price, whoever was left out of it', async () => {
  const world = await createCoreWorld({ sandbox: { switches: { price: { per: 'message', credits: 3 } } } });
  const { core } = await runLinked(world);
  await saveLimits(core, await linkOf(core), { ...NO_LIMITS, monthlyBudget: 12 });
  const leftOut = Array.from({ length: 90 }, (_, place) => phoneAt(place));
  await core.optOuts.change('T1', leftOut, { to: 'out', by: ANA.id, via: 'command' });
  const job = await startedJob(core, { count: 100 });
  expect(job.details.estimate.credits).toBe(10);
  const { sent } = (await settledPause(core, job.id)).counts;
  expect((await left(core)).month).toMatchObject({ used: 3 * sent, held: 3 * (10 - sent), left: 0 });
  const { id } = await drafted(core);
  expect(await core.sends.confirm(id, ANA, null)).toMatchObject({ kind: 'over_budget', over: { limit: 12 } });
  expect(await core.jobs.stop(job.id, ANA)).toMatchObject({ kind: 'done' });
  expect((await left(core)).month).toMatchObject({ used: 3 * sent, held: 0 });
});

test('if the price rises while a list runs, at most the requests in flight pass the limit; it goes on with a higher limit', async () => {
  const world = await createCoreWorld();
  let mayTake = 10;
  const { core } = await runLinked(world, {
    prepare: ({ tap }) =>
      tap.intercept('take', (real) => async (ask) => {
        if (mayTake === 0) return { kind: 'idle' };
        mayTake -= 1;
        const taken = await real(ask);
        if (taken.kind !== 'taken') mayTake += 1;
        return taken;
      }),
  });
  await saveLimits(core, await linkOf(core), { ...NO_LIMITS, monthlyBudget: 40 });
  const { id } = await startedJob(core, { count: 40 });
  await eventually(async () => expect((await left(core)).month).toMatchObject({ used: 10, held: 30 }));
  world.service.setSwitches({ price: { per: 'message', credits: 3 } });
  mayTake = 1000;
  const paused = await settledPause(core, id);
  expect(paused.pause).toEqual({ why: 'over_budget', period: 'month' });
  const { sent } = paused.counts;
  expect(sent).toBeGreaterThan(10);
  expect(sent).toBeLessThanOrEqual(10 + BREAKER_MAX_LIMIT);
  expect(world.service.messages).toHaveLength(sent);
  const used = 10 + 3 * (sent - 10);
  expect((await left(core)).month).toMatchObject({ used, held: Math.ceil((used / sent) * (40 - sent)) });

  const pressed = () => Promise.all(Array.from({ length: 5 }, () => core.jobs.resume(id, ANA)));
  for (const answer of await pressed()) {
    expect(answer).toMatchObject({
      kind: 'over_budget',
      over: { limit: 40, used },
      view: { state: 'paused' },
    });
  }
  expect(world.service.messages).toHaveLength(sent);
  await saveLimits(core, await linkOf(core), { ...NO_LIMITS, monthlyBudget: 200 });
  const answers = await pressed();
  expect(answers.filter(({ kind }) => kind === 'done')).toHaveLength(1);
  expect((await jobIn(core, id, 'finished')).counts).toMatchObject({ sent: 40, unknown: 0 });
  expect(new Set(world.service.messages.map(({ phone }) => phone)).size).toBe(40);
  expect(world.service.messages).toHaveLength(40);
  expect((await left(core)).month).toMatchObject({ used: 100, held: 0 });
});

test('a person’s day pauses their list, whoever presses Resume', async () => {
  const world = await createCoreWorld({ sandbox: { switches: { price: { per: 'message', credits: 3 } } } });
  const { core } = await runLinked(world);
  await saveLimits(core, await linkOf(core), { ...NO_LIMITS, dailyPerPerson: 20 });
  const { id } = await startedJob(core, { count: 20 });
  expect((await settledPause(core, id)).pause).toEqual({ why: 'over_budget', period: 'day' });
  expect(await core.jobs.resume(id, BEN)).toMatchObject({
    kind: 'over_budget',
    over: { person: ANA.id, limit: 20 },
  });
  expect(await core.jobs.stop(id, BEN)).toMatchObject({ kind: 'done' });
});

test('a list that takes more than goes without approval pauses, and goes on for an approver', async () => {
  const world = await createCoreWorld({ sandbox: { switches: { price: { per: 'message', credits: 3 } } } });
  const { core } = await runLinked(world);
  const limits = { ...NO_LIMITS, approvalAbove: 30, approvers: [ANA.id, BEN.id] };
  await saveLimits(core, await linkOf(core), limits);
  const { id } = await startedJob(core, { count: 20 });
  expect((await settledPause(core, id)).pause).toEqual({ why: 'above_approved' });
  const needsApproval = { kind: 'above_approved', above: { approvedUpTo: 30, asked: 60 } };
  expect(await core.jobs.resume(id, ANA)).toMatchObject({ ...needsApproval, right: 'own' });
  const carl = aPerson({ id: 'U-carl' });
  const refused = { ...needsApproval, right: 'not_approver', approvers: [ANA.id, BEN.id] };
  expect(await core.jobs.resume(id, carl, { approvedUpTo: 66 })).toMatchObject(refused);
  expect(await core.jobs.resume(id, BEN)).toMatchObject({ ...needsApproval, right: 'may', proposed: 66 });
  expect(await core.jobs.resume(id, aPerson({ id: 'U-adm', isAdmin: true }))).toMatchObject(refused);
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => core.jobs.resume(id, BEN, { approvedUpTo: 66 })),
  );
  expect(answers.filter(({ kind }) => kind === 'done')).toHaveLength(1);
  const { counts, details } = await jobIn(core, id, 'finished');
  expect(counts).toMatchObject({ sent: 20, unknown: 0 });
  expect(details).toMatchObject({ restApproved: { by: BEN.id, upTo: 66 } });
  expect(world.service.messages).toHaveLength(20);
});

test('an approver is offered a tenth more, and not a credit beyond that', async () => {
  const world = await createCoreWorld({ sandbox: { switches: { price: { per: 'message', credits: 5 } } } });
  const { core } = await runLinked(world);
  await saveLimits(core, await linkOf(core), { ...NO_LIMITS, approvalAbove: 30, approvers: [BEN.id] });
  const { id } = await startedJob(core, { count: 22 });
  await settledPause(core, id);
  expect(await core.jobs.resume(id, BEN)).toMatchObject({ above: { asked: 110 }, proposed: 121 });
});

test('an approver of that moment approves the dearer rest of an approved list, even if they may not send', async () => {
  const world = await createCoreWorld();
  const { core } = await runLinked(world);
  await saveLimits(core, await linkOf(core), { ...NO_LIMITS, approvalAbove: 0, approvers: [BEN.id] });
  const { id } = await draftedJob(core, { count: 20 });
  await core.approvals.ask(id, ANA, null);
  world.service.setSwitches({ price: { per: 'message', credits: 3 } });
  const here = async (user: string) => aPerson({ id: user });
  expect(await core.approvals.approve(id, BEN, here)).toMatchObject({ kind: 'running' });
  await settledPause(core, id);
  await saveLimits(core, await linkOf(core), { ...NO_LIMITS, ownApproval: true, approvers: ['U-cyd'] });
  const linked = await core.links.find('T1', 'C-sales');
  if (!linked) throw new Error('the channel is not linked');
  await linkTo(core, linked.instance, { whoCanSend: 'chosen', people: [ANA.id] });
  expect(await core.jobs.resume(id, BEN)).toMatchObject({ kind: 'refused' });
  expect(await core.jobs.resume(id, ANA)).toMatchObject({
    kind: 'above_approved',
    above: { approvedUpTo: 20, asked: 60 },
    right: 'not_approver',
    approvers: ['U-cyd'],
  });
  const cyd = aPerson({ id: 'U-cyd' });
  expect(await core.jobs.resume(id, cyd, { approvedUpTo: 59 })).toMatchObject({ above: { asked: 60 } });
  expect(await core.jobs.resume(id, cyd, { approvedUpTo: 66 })).toMatchObject({ kind: 'done' });
  expect((await jobIn(core, id, 'finished')).counts).toMatchObject({ sent: 20 });
});

test.each([
  ['the rule that asked for it', { approvalAbove: 0 }, 'limit', {}],
  ['the budget that it is an exception from', { monthlyBudget: 10 }, 'budget', { monthlyBudget: 100 }],
  ['a limit that is raised meanwhile', { approvalAbove: 0 }, 'limit', { approvalAbove: 100 }],
] as const)(
  'an approved list pauses above its estimate, also if %s is gone by then',
  async (_, before, why, after) => {
    const world = await createCoreWorld();
    const { core } = await runLinked(world);
    await saveLimits(core, await linkOf(core), { ...NO_LIMITS, ...before });
    const { id } = await draftedJob(core, { count: 20 });
    await core.approvals.ask(id, ANA, null, why === 'budget' ? { why } : undefined);
    await saveLimits(core, await linkOf(core), { ...NO_LIMITS, ...after });
    world.service.setSwitches({ price: { per: 'message', credits: 3 } });
    const here = async (user: string) => aPerson({ id: user });
    expect(await core.approvals.approve(id, ADMIN, here)).toMatchObject({ kind: 'running' });
    expect((await settledPause(core, id)).pause).toEqual({ why: 'above_approved' });
  },
);

test('a person who resumes it for another reason reads that first, and its pause stays what it was', async () => {
  const world = await createCoreWorld({ sandbox: { switches: { price: { per: 'message', credits: 3 } } } });
  const { core } = await runLinked(world);
  await saveLimits(core, await linkOf(core), { ...NO_LIMITS, monthlyBudget: 25, approvalAbove: 30 });
  const { id } = await startedJob(core, { count: 20 });
  const overMonth = { why: 'over_budget', period: 'month' };
  expect((await settledPause(core, id)).pause).toEqual(overMonth);
  await saveLimits(core, await linkOf(core), { ...NO_LIMITS, approvalAbove: 30 });
  expect(await core.jobs.resume(id, ADMIN)).toMatchObject({ kind: 'above_approved', right: 'may' });
  expect((await jobIn(core, id, 'paused')).pause).toEqual(overMonth);
  expect(await core.jobs.resume(id, ADMIN, { approvedUpTo: 66 })).toMatchObject({ kind: 'done' });
  expect((await jobIn(core, id, 'finished')).counts).toMatchObject({ sent: 20 });
});

/** The job's pause, once none of its requests is in flight. */
function settledPause(core: Core, id: string) {
  return eventually(async () => {
    const job = await jobIn(core, id, 'paused');
    expect(job.counts.inFlight).toBe(0);
    return job;
  });
}

test('once an admin raises a budget that the database has damaged, people can send again', async () => {
  const { core, world } = await limited({ monthlyBudget: 10 });
  await ended(core, (await confirmed(core)).id);
  const db = openDatabase(world.folder);
  onTestFinished(() => db.close());
  const engine = createSqliteEngine(db);
  const ids: string[] = [];
  for await (const page of engine.documents('budgets')) ids.push(...page.map(({ id }) => id));
  const id = ids.find((one) => one.split('/').length === 3) ?? '';
  await damageDocument(engine, { collection: 'budgets', id });
  await eventually(async () => expect((await left(core)).month).toMatchObject({ used: 10, left: 0 }));
  await saveLimits(core, await linkOf(core), { ...NO_LIMITS, monthlyBudget: 15 });
  // A preview with no credits left has no Send.
  expect((await left(core)).month).toMatchObject({ used: 10, left: 5 });
  await confirmed(core);
});
