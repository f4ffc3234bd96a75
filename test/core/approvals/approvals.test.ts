import { describe, expect, onTestFinished, test } from 'vitest';
import { limitsOf, type SpendingLimits } from '../../../src/core/accounts/channel-limits.ts';
import type { Person } from '../../../src/core/accounts/permissions.ts';
import type { Core } from '../../../src/core/core.ts';
import { SWITCHBOARD } from '../../../src/core/sends/decision-answers.ts';
import { TOPICS } from '../../../src/core/topics.ts';
import { withCopy } from '../../helpers/core-copy.ts';
import { draftedJob, jobIn, startedJob } from '../../helpers/core-jobs.ts';
import { ADMIN, ANA, aPerson, BEN } from '../../helpers/core-people.ts';
import { confirmed, drafted, ended, eventually, viewOf } from '../../helpers/core-sends.ts';
import {
  ACME,
  addInstance,
  BIRCH_KEY,
  createCoreWorld,
  linkTo,
  run,
  runLinked,
  SHORT_LIMITS,
  saveLimits,
} from '../../helpers/core-world.ts';
import { startRedis, withoutRedis } from '../../helpers/redis-server.ts';
import { joinRedis } from '../../helpers/two-bots.ts';

const here = async (user: string): Promise<Person> => aPerson({ id: user });

async function limit(core: Core, limits: Partial<SpendingLimits>): Promise<void> {
  const found = await core.links.find('T1', 'C-sales');
  if (!found) throw new Error('the channel is not linked');
  await saveLimits(core, found.link, { ...limitsOf(found.link), ...limits });
}

/** A core whose channel has a limit, and a text that waits for approval. */
async function withRequest(limits: Partial<SpendingLimits> = {}) {
  const world = await createCoreWorld();
  const running = await runLinked(world);
  const { core } = running;
  await limit(core, { approvalAbove: 0, ...limits });
  const { id } = await drafted(core);
  expect(await core.approvals.ask(id, ANA, { url: 'asked' })).toMatchObject({ kind: 'asked' });
  return { ...running, world, id };
}

describe('a draft above the limit', () => {
  test('is not sent by its own Send, and is at the limit', async () => {
    const { core, sendRequests } = await runLinked(await createCoreWorld());
    const draft = await drafted(core);
    await limit(core, { approvalAbove: 0 });
    expect(await core.sends.confirm(draft.id, ANA, null)).toMatchObject({
      kind: 'needs_approval',
      above: 0,
      approvers: [],
    });
    const job = await draftedJob(core, { count: 3 });
    await limit(core, { approvalAbove: 2 });
    expect(await core.jobs.confirm(job.id, ANA, null)).toMatchObject({ kind: 'needs_approval', above: 2 });
    expect(sendRequests()).toEqual([]);
    await limit(core, { approvalAbove: 3 });
    expect(await core.jobs.confirm(job.id, ANA, null)).toMatchObject({ kind: 'running' });
  });

  test('at a limit of 0 credits is every draft, even if texts were free so far', async () => {
    const { core, service, sendRequests } = await runLinked(await createCoreWorld());
    service.setSwitches({ price: { per: 'message', credits: 0 } });
    await ended(core, (await confirmed(core)).id);
    await eventually(async () =>
      expect((await drafted(core)).details.estimate).toMatchObject({ credits: 0 }),
    );
    await limit(core, { approvalAbove: 0 });
    const { id } = await drafted(core);
    expect(await core.sends.confirm(id, ANA, null)).toMatchObject({ kind: 'needs_approval', above: 0 });
    expect(sendRequests()).toHaveLength(1);
  });

  test('is one whose price has risen above it since the preview', async () => {
    const { core, service } = await runLinked(await createCoreWorld());
    const { id } = await drafted(core);
    service.setSwitches({ price: { per: 'message', credits: 3 } });
    await ended(core, (await confirmed(core, { text: 'Another text' })).id);
    await eventually(async () =>
      expect((await drafted(core)).details.estimate).toMatchObject({ credits: 3 }),
    );
    await limit(core, { approvalAbove: 2, monthlyBudget: 5 });
    expect(await core.sends.confirm(id, ANA, null)).toMatchObject({ kind: 'needs_approval', asked: 3 });
    await limit(core, { approvalAbove: undefined });
    expect(await core.sends.confirm(id, ANA, null)).toMatchObject({
      kind: 'over_budget',
      over: { used: 3, left: 2, asked: 3 },
    });
    expect(await core.approvals.ask(id, ANA, null, { why: 'budget' })).toMatchObject({
      kind: 'asked',
      view: { details: { estimate: { credits: 3 } } },
    });
    expect(await core.approvals.approve(id, ADMIN, here)).toMatchObject({ kind: 'running' });
  });

  test('is sent once another person approves; its receipt goes to its author', async () => {
    const { core, id, posted, sendRequests } = await withRequest();
    expect(await core.sends.confirm(id, ANA, null)).toMatchObject({
      kind: 'too_late',
      view: { state: 'awaiting_approval' },
    });
    expect(await core.approvals.approve(id, ADMIN, here)).toMatchObject({ kind: 'running' });
    const sent = await ended(core, id);
    expect(sent).toMatchObject({
      outcome: 'sent',
      decidedBy: ANA.id,
      approval: { askedBy: ANA.id, by: ADMIN.id },
      details: { reply: { url: 'asked' } },
    });
    expect(sendRequests()).toHaveLength(1);
    expect(await core.approvals.approve(id, ADMIN, here)).toMatchObject({ kind: 'too_late' });
    await eventually(() =>
      expect(posted.map(({ topic }) => topic)).toEqual(
        expect.arrayContaining([TOPICS.approval, TOPICS.receipt]),
      ),
    );
  });

  test('of a list is sent as it was drafted', async () => {
    const { core, service } = await runLinked(await createCoreWorld());
    await limit(core, { approvalAbove: 0 });
    const job = await draftedJob(core, { count: 3 });
    expect(await core.approvals.ask(job.id, ANA, null)).toMatchObject({ kind: 'asked' });
    expect(await core.approvals.view(job.id)).toMatchObject({
      kind: 'job',
      view: { counts: { total: 3 } },
      balance: { credits: 1000 },
    });
    expect(await core.approvals.approve(job.id, ADMIN, here)).toMatchObject({ kind: 'running' });
    await jobIn(core, job.id, 'finished');
    expect(service.messages.map(({ text }) => text)).toEqual([
      'Hello Name 0',
      'Hello Name 1',
      'Hello Name 2',
    ]);
  });
});

describe('who approves', () => {
  const outsider = aPerson({ id: 'U-else', isOutsider: true, isAdmin: true });
  const guest = aPerson({ id: 'U-guest', isGuest: true });

  test('the admins if nobody is chosen', async () => {
    const { core, id } = await withRequest();
    for (const person of [BEN, ANA, outsider, guest]) {
      expect(await core.approvals.approve(id, person, here)).toEqual({ kind: 'not_approver', approvers: [] });
      expect(await core.approvals.decline(id, person, 'No')).toMatchObject({ kind: 'not_approver' });
    }
    expect(await core.approvals.approve(id, ADMIN, here)).toMatchObject({ kind: 'running' });
  });

  test('the chosen ones and no other admin; never guests', async () => {
    const approvers = [BEN.id, guest.id];
    const { core, id } = await withRequest({ approvers });
    for (const person of [ADMIN, guest]) {
      expect(await core.approvals.approve(id, person, here)).toEqual({ kind: 'not_approver', approvers });
    }
    expect(await core.approvals.approve(id, BEN, here)).toMatchObject({ kind: 'running' });
  });

  test('nobody their own, admins neither, unless the limits allow it', async () => {
    const { core, sendRequests } = await runLinked(await createCoreWorld());
    await limit(core, { approvalAbove: 0 });
    const { id } = await drafted(core, { person: ADMIN });
    await core.approvals.ask(id, ADMIN, null);
    const own = async () => ADMIN;
    expect(await core.approvals.approve(id, ADMIN, own)).toEqual({ kind: 'own_request' });
    expect(sendRequests()).toEqual([]);
    await limit(core, { ownApproval: true });
    expect(await core.approvals.approve(id, ADMIN, own)).toMatchObject({ kind: 'running' });
  });

  test('the only approver can’t ask', async () => {
    const { core } = await runLinked(await createCoreWorld());
    await limit(core, { approvalAbove: 0, approvers: [ANA.id] });
    const { id } = await drafted(core);
    expect(await core.approvals.ask(id, ANA, null)).toEqual({
      kind: 'nobody_to_ask',
      named: [ANA.id],
    });
    expect((await viewOf(core, id)).state).toBe('draft');
  });

  test('an exception from the budget takes an admin', async () => {
    const { core, tap } = await runLinked(await createCoreWorld());
    await limit(core, { approvers: [BEN.id] });
    const { id } = await drafted(core);
    expect(await core.approvals.ask(id, ANA, null, { why: 'budget' })).toMatchObject({
      kind: 'asked',
    });
    expect(await core.approvals.approve(id, BEN, here)).toEqual({ kind: 'not_approver', approvers: [] });
    const words: unknown[] = [];
    tap.intercept('decide', (decide) => (send, decision) => {
      words.push(decision.approval);
      return decide(send, decision);
    });
    expect(await core.approvals.approve(id, ADMIN, here)).toMatchObject({ kind: 'running' });
    expect(words).toEqual([{ isOwnAllowed: false, exceptBudget: true }]);
  });

  test('only its author asks', async () => {
    const { core } = await runLinked(await createCoreWorld());
    const { id } = await drafted(core);
    expect(await core.approvals.ask(id, BEN, null)).toEqual({ kind: 'not_yours', owner: ANA.id });
    expect(await core.approvals.ask('nope', BEN, null)).toEqual({ kind: 'missing' });
  });
});

describe('at approval everything is checked again', () => {
  test.each<
    [string, (request: Awaited<ReturnType<typeof withRequest>>) => Promise<unknown> | unknown, object]
  >([
    [
      'the balance',
      ({ service }) => service.setCredits(ACME, 0),
      { kind: 'credits_short', needed: 1, available: 0 },
    ],
    [
      'the key',
      ({ service }) => service.addFault({ kind: 'key_revoked', times: 'always' }),
      { kind: 'key_refused', instanceName: 'Acme' },
    ],
    [
      'the price',
      ({ records, instance }) =>
        records.prices.set(instance.accountId, {
          bySegments: { 1: { credits: 3, inARow: 1, contradicted: false } },
        }),
      { kind: 'dearer', was: { credits: 1 }, now: { credits: 3 } },
    ],
    [
      'the opt-outs',
      async ({ core, id }) => {
        const { e164 } = await viewOf(core, id);
        await core.optOuts.change('T1', [e164.slice(1)], { to: 'out', by: BEN.id, via: 'command' });
      },
      { kind: 'opted_out' },
    ],
    [
      'the right of who asked',
      ({ core, instance }) => linkTo(core, instance, { whoCanSend: 'admins' }),
      { kind: 'refused', why: 'admins_only' },
    ],
  ])('%s', async (_what, change, why) => {
    const request = await withRequest();
    await change(request);
    const { core, id, sendRequests } = request;
    expect(await core.approvals.approve(id, ADMIN, here)).toMatchObject({ kind: 'unfit', why });
    expect(sendRequests()).toEqual([]);
    // This decides nothing: the caller sends the text back with the reviewer's words.
    expect((await viewOf(core, id)).state).toBe('awaiting_approval');
    expect(await core.approvals.sendBack(id, 'Too dear')).toMatchObject({ kind: 'declined' });
    expect(await viewOf(core, id)).toMatchObject({
      state: 'declined',
      text: 'Hello from the warehouse',
      approval: { by: SWITCHBOARD, reason: 'Too dear' },
    });
  });

  test('a person who asked and has left the channel', async () => {
    const { core, id } = await withRequest();
    const gone = async () => undefined;
    expect(await core.approvals.approve(id, BEN, gone)).toMatchObject({ kind: 'not_approver' });
    expect(await core.approvals.approve(id, ADMIN, gone)).toEqual({
      kind: 'unfit',
      why: { kind: 'asker_away' },
    });
  });

  test('another instance: the request is over', async () => {
    const { core, id } = await withRequest();
    await linkTo(core, await addInstance(core, BIRCH_KEY, 'Birch'));
    expect(await core.approvals.approve(id, ADMIN, here)).toMatchObject({
      kind: 'too_late',
      view: { state: 'expired' },
    });
  });

  test('a channel that is about to be unlinked begins no list', async () => {
    const { core } = await runLinked(await createCoreWorld());
    const job = await draftedJob(core, { count: 3 });
    const later = await draftedJob(core, { count: 3 });
    await core.approvals.ask(job.id, ANA, null);
    const found = await core.links.find('T1', 'C-sales');
    if (found) await core.links.removeWhenDone(found.link, ADMIN.id);
    expect(await core.approvals.approve(job.id, ADMIN, here)).toEqual({
      kind: 'unfit',
      why: { kind: 'unlinking' },
    });
    expect(await core.approvals.ask(later.id, ANA, null)).toEqual({ kind: 'unlinking' });
  });
});

test('a withdrawn request is over, and only its author withdraws it', async () => {
  const { core, id } = await withRequest();
  expect(await core.sends.withdraw(id, BEN)).toEqual({ kind: 'missing' });
  expect((await core.approvals.waiting('T1')).map(({ view }) => view.id)).toEqual([id]);
  expect(await core.sends.withdraw(id, ANA)).toMatchObject({ kind: 'withdrawn' });
  expect(await core.approvals.waiting('T1')).toEqual([]);
  expect(await core.approvals.approve(id, ADMIN, here)).toMatchObject({ kind: 'too_late' });
});

test('a bot that dies right after the request was written: another one posts its card', async () => {
  const world = await createCoreWorld();
  const first = await runLinked(world, { deliver: async () => new Promise(() => {}) });
  await limit(first.core, { approvalAbove: 0 });
  const { id } = await drafted(first.core);
  await first.core.approvals.ask(id, ANA, null);
  first.kill();
  const second = await run(world);
  await eventually(() =>
    expect(second.posted.map(({ topic, subject }) => ({ topic, subject }))).toContainEqual({
      topic: TOPICS.approval,
      subject: id,
    }),
  );
});

describe('a bot that starts with an old copy of the data', () => {
  test('sends nothing again that was approved since: the request expires', async () => {
    const { core, stop, world, id } = await withRequest();
    const list = await draftedJob(core, { count: 3 });
    await core.approvals.ask(list.id, ANA, null);
    const copy = withCopy(world);
    for (const each of [id, list.id])
      expect(await core.approvals.approve(each, ADMIN, here)).toMatchObject({ kind: 'running' });
    await ended(core, id);
    await jobIn(core, list.id, 'finished');
    await stop();
    const sent = world.service.messages.length;
    expect(sent).toBe(4);
    const old = await run(copy);
    for (const each of [id, list.id])
      expect(await old.core.approvals.approve(each, ADMIN, here)).toMatchObject({
        kind: 'too_late',
        view: { state: 'expired' },
      });
    await old.stop();
    expect(world.service.messages).toHaveLength(sent);
  });

  test('approves nothing before its books are compared with the balance', async () => {
    const { stop, world, id } = await withRequest();
    await stop();
    world.service.addFault({ kind: 'server_error', endpoint: 'balance', times: 'always' });
    const { core } = await run(world);
    expect(await core.approvals.approve(id, ADMIN, here)).toEqual({ kind: 'no_balance' });
    expect(world.sendRequests()).toEqual([]);
    world.service.clearFaults();
    expect(await core.approvals.approve(id, ADMIN, here)).toMatchObject({ kind: 'running' });
  });

  test('expires nothing later on: a Resume that finds credits missing lets requests wait', async () => {
    const { core, world, id } = await withRequest({ approvalAbove: 5 });
    world.service.addFault({ kind: 'delay', endpoint: 'send', ms: 300, when: 'before' });
    const job = await startedJob(core, { count: 5 });
    await core.jobs.pause(job.id, ANA);
    await eventually(async () => expect((await core.jobs.view(job.id))?.counts.inFlight).toBe(0));
    world.service.setCredits(ACME, 900);
    expect(await core.jobs.resume(job.id, ANA)).toMatchObject({ kind: 'books' });
    expect(await core.approvals.approve(id, ADMIN, here)).toMatchObject({ kind: 'running' });
  });

  test('lets requests wait if other programs use the key', async () => {
    const { core, instance, stop, world, id } = await withRequest();
    await core.refusals.setShared(instance, true, ADMIN.id);
    await stop();
    world.service.setCredits(ACME, 900);
    const again = await run(world);
    expect(await again.core.approvals.approve(id, ADMIN, here)).toMatchObject({ kind: 'running' });
  });
});

test.skipIf(withoutRedis).each([
  { bots: 'stopped', view: { state: 'expired' } },
  // The bot that sent it still knows the answer.
  { bots: 'running', view: { state: 'finished', outcome: 'sent' } },
])(
  'an old copy is put back under two bots that are $bots: neither sends a second time what was approved since',
  async ({ bots, view }) => {
    const world = await createCoreWorld({ limits: SHORT_LIMITS });
    const server = await startRedis();
    onTestFinished(() => server.close());
    const open = joinRedis(server);
    const before = [await runLinked(world, { open }), await run(world, { open })] as const;
    const [{ core }] = before;
    await limit(core, { approvalAbove: 0 });
    const { id } = await drafted(core);
    await core.approvals.ask(id, ANA, null);
    const copy = server.copy();
    expect(await core.approvals.approve(id, ADMIN, here)).toMatchObject({ kind: 'running' });
    await ended(core, id);
    if (bots === 'stopped') {
      for (const bot of before) await bot.stop();
      for (const bot of before) bot.kill();
    }
    await server.putBack(copy);
    const after = bots === 'running' ? before : [await run(world, { open }), await run(world, { open })];
    for (const bot of after) {
      await eventually(async () =>
        expect(await bot.core.approvals.approve(id, ADMIN, here)).toMatchObject({ kind: 'too_late', view }),
      );
    }
    expect(world.sendRequests()).toHaveLength(1);
  },
);

test.skipIf(withoutRedis)('50 approvals race through three bots on one Redis: one counts', async () => {
  const world = await createCoreWorld();
  const server = await startRedis();
  onTestFinished(() => server.close());
  const open = joinRedis(server);
  const bots = [await runLinked(world, { open }), await run(world, { open }), await run(world, { open })];
  const [first] = bots;
  if (!first) throw new Error('no bot');
  await limit(first.core, { approvalAbove: 0 });
  const { id } = await drafted(first.core);
  await first.core.approvals.ask(id, ANA, null);
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, click) => {
      const { core } = bots[click % bots.length] ?? first;
      return core.approvals.approve(id, { ...ADMIN, id: `U-admin-${click}` }, here);
    }),
  );
  const won = answers.flatMap(({ kind }, click) => (kind === 'running' ? [`U-admin-${click}`] : []));
  expect(won).toHaveLength(1);
  expect(answers.filter(({ kind }) => kind === 'too_late')).toHaveLength(49);
  expect(await ended(first.core, id)).toMatchObject({ outcome: 'sent', approval: { by: won[0] } });
  expect(world.sendRequests()).toHaveLength(1);
});

describe('words that went to a number before', () => {
  const GUARDED = { bulk: { chunkSize: 4, minRecipients: 2 }, repeatGuardMs: 86_400_000 };

  test('the request’s approver knows of them, and of no later ones', async () => {
    const { core, sendRequests } = await runLinked(await createCoreWorld(), GUARDED);
    const first = await confirmed(core);
    await ended(core, first.id);
    await limit(core, { approvalAbove: 0 });
    const again = await drafted(core);
    const late = await drafted(core);
    for (const { id } of [again, late]) {
      expect(await core.approvals.ask(id, ANA, null)).toMatchObject({
        view: { approval: { same: { send: first.id } } },
      });
    }
    expect(await core.approvals.approve(again.id, ADMIN, here)).toMatchObject({ kind: 'running' });
    await ended(core, again.id);
    expect(await core.approvals.approve(late.id, ADMIN, here)).toMatchObject({
      kind: 'unfit',
      why: { kind: 'same_words', same: { send: again.id } },
    });
    expect(sendRequests()).toHaveLength(2);
  });

  test.each([false, true])('in a list go as they were asked for (included: %s)', async (include) => {
    const { core, service } = await runLinked(await createCoreWorld(), GUARDED);
    const { id: before } = await startedJob(core, { count: 2 });
    await jobIn(core, before, 'finished');
    await limit(core, { approvalAbove: 0 });
    const { id } = await draftedJob(core, { count: 5 });
    await core.approvals.ask(id, ANA, null, { include });
    expect(await core.approvals.view(id)).toMatchObject({
      view: { details: { estimate: { credits: include ? 5 : 3 }, repeats: { included: include } } },
    });
    expect(await core.approvals.approve(id, ADMIN, here)).toMatchObject({ kind: 'running' });
    expect(await jobIn(core, id, 'finished')).toMatchObject({
      counts: { sent: include ? 5 : 3, repeated: include ? 0 : 2 },
    });
    expect(service.messages).toHaveLength(2 + (include ? 5 : 3));
  });
});
