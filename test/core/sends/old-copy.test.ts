import { aroundEach, describe, expect, test } from 'vitest';
import { limitsOf } from '../../../src/core/accounts/channel-limits.ts';
import { withCopy } from '../../helpers/core-copy.ts';
import { draftedJob, jobIn } from '../../helpers/core-jobs.ts';
import { ADMIN, ANA } from '../../helpers/core-people.ts';
import { confirmed, drafted, ended, eventually } from '../../helpers/core-sends.ts';
import {
  type CoreWorld,
  createCoreWorld,
  run,
  runLinked,
  SHORT_LIMITS,
  saveLimits,
} from '../../helpers/core-world.ts';
import { startRedisPair } from '../../helpers/redis-pair.ts';
import { startRedis, withoutRedis } from '../../helpers/redis-server.ts';
import { asOneOfMany, whenOver } from '../../helpers/side-by-side.ts';
import { joinRedis } from '../../helpers/two-bots.ts';

aroundEach(asOneOfMany);

const EXPIRED = { kind: 'too_late', view: { state: 'expired' } };

/** After the start, the bot's balance read is slower than a person's click. */
function slowBalance({ service }: CoreWorld): void {
  service.addFault({ kind: 'delay', endpoint: 'balance', ms: 400, when: 'before', times: 'always' });
}

/** `skip`: how many reads get an answer before. Linking takes one. */
function noBalance({ service }: CoreWorld, { skip = 0 } = {}): void {
  service.addFault({ kind: 'server_error', endpoint: 'balance', times: 'always', skip });
}

describe.concurrent('a draft of an old copy of the data, sent since the copy was made', () => {
  test('a text is not sent again: the draft has expired', async () => {
    const world = await createCoreWorld();
    const { core, stop } = await runLinked(world);
    const { id } = await drafted(core);
    const copy = withCopy(world);
    expect(await core.sends.confirm(id, ANA, null)).toMatchObject({ kind: 'running' });
    await ended(core, id);
    await stop();
    slowBalance(world);
    const old = await run(copy);
    expect(await old.core.sends.confirm(id, ANA, null)).toMatchObject(EXPIRED);
    await old.stop();
    expect(world.service.messages).toHaveLength(1);
  });

  test('nor is a list', async () => {
    const world = await createCoreWorld();
    const { core, stop } = await runLinked(world);
    const { id } = await draftedJob(core, { count: 3 });
    const copy = withCopy(world);
    expect(await core.jobs.confirm(id, ANA, null)).toMatchObject({ kind: 'running' });
    await jobIn(core, id, 'finished');
    await stop();
    slowBalance(world);
    const old = await run(copy);
    expect(await old.core.jobs.confirm(id, ANA, null)).toMatchObject(EXPIRED);
    await old.stop();
    expect(world.service.messages).toHaveLength(3);
  });

  test.each(['a text', 'a list'])(
    'nor is %s if no balance was known when the copy was made',
    async (what) => {
      const world = await createCoreWorld();
      noBalance(world, { skip: 1 });
      const { core, stop } = await runLinked(world);
      const part = what === 'a text' ? ('sends' as const) : ('jobs' as const);
      const { id } = part === 'sends' ? await drafted(core) : await draftedJob(core, { count: 1 });
      const copy = withCopy(world);
      world.service.clearFaults();
      expect(await core[part].confirm(id, ANA, null)).toMatchObject({ kind: 'running' });
      await eventually(async () => expect(await core[part].view(id)).toMatchObject({ state: 'finished' }));
      await stop();
      noBalance(world);
      const old = await run(copy);
      const fresh = await drafted(old.core);
      world.service.clearFaults();
      expect(await old.core[part].confirm(id, ANA, null)).toMatchObject(EXPIRED);
      expect(await old.core.sends.confirm(fresh.id, ANA, null)).toMatchObject({ kind: 'running' });
      await ended(old.core, fresh.id);
      await old.stop();
      expect(world.service.messages).toHaveLength(2);
    },
  );

  test('nor does a list go on without a warning that was paused then', async () => {
    const world = await createCoreWorld();
    noBalance(world, { skip: 1 });
    const { core, stop } = await runLinked(world);
    const { id } = await draftedJob(core, { count: 1 });
    expect(await core.jobs.confirm(id, ANA, null)).toMatchObject({ kind: 'running' });
    expect(await core.jobs.pause(id, ANA)).toMatchObject({ kind: 'done' });
    const copy = withCopy(world);
    await stop();
    world.service.clearFaults();
    const old = await run(copy);
    await drafted(old.core);
    await eventually(async () =>
      expect(await old.core.jobs.view(id)).toMatchObject({ state: 'paused', details: { restored: true } }),
    );
    await old.stop();
    expect(world.service.messages).toEqual([]);
  });

  test('nor does a list go on that was under way then', async () => {
    const world = await createCoreWorld();
    noBalance(world, { skip: 1 });
    const { core, stop } = await runLinked(world);
    const { id } = await draftedJob(core, { count: 1 });
    expect(await core.jobs.confirm(id, ANA, null)).toMatchObject({ kind: 'running' });
    const copy = withCopy(world);
    world.service.clearFaults();
    await jobIn(core, id, 'finished');
    await stop();
    const old = await run(copy);
    expect(await jobIn(old.core, id, 'paused')).toMatchObject({ pause: { why: 'books' } });
    await old.stop();
    expect(world.service.messages).toHaveLength(1);
  });

  test('nor is an unknown text that was resent', async () => {
    const world = await createCoreWorld();
    const { core, stop } = await runLinked(world);
    world.service.addFault({ kind: 'reset', endpoint: 'send', when: 'after' });
    const first = await confirmed(core);
    expect(await ended(core, first.id)).toMatchObject({ outcome: 'unknown' });
    world.time.advance(world.limits.leaseMs);
    const { id } = await drafted(core, { resends: { send: first.id, indexes: [0] } });
    const copy = withCopy(world);
    await eventually(async () =>
      expect(await core.sends.confirm(id, ANA, null)).toMatchObject({ kind: 'running' }),
    );
    await ended(core, id);
    await stop();
    slowBalance(world);
    const old = await run(copy);
    expect(await old.core.sends.confirm(id, ANA, null)).toMatchObject(EXPIRED);
    await old.stop();
    expect(world.sendRequests()).toHaveLength(2);
  });

  test.each(['a text', 'a list'])('and editing %s is no way round', async (what) => {
    const world = await createCoreWorld();
    const { core, stop } = await runLinked(world);
    const part = what === 'a text' ? ('sends' as const) : ('jobs' as const);
    const { id } = part === 'sends' ? await drafted(core) : await draftedJob(core, { count: 1 });
    const copy = withCopy(world);
    expect(await core[part].confirm(id, ANA, null)).toMatchObject({ kind: 'running' });
    await eventually(async () => expect(await core[part].view(id)).toMatchObject({ state: 'finished' }));
    await stop();
    noBalance(world);
    const old = await run(copy);
    expect(await old.core[part].supersede(id, ANA)).toEqual({ kind: 'no_balance' });
    world.service.clearFaults();
    expect(await old.core[part].supersede(id, ANA)).toMatchObject(EXPIRED);
    await old.stop();
  });

  test('and Cancel does not say that nothing was sent', async () => {
    const world = await createCoreWorld();
    const { core, stop } = await runLinked(world);
    const { id } = await drafted(core);
    const copy = withCopy(world);
    expect(await core.sends.confirm(id, ANA, null)).toMatchObject({ kind: 'running' });
    await eventually(async () => expect(await core.sends.view(id)).toMatchObject({ state: 'finished' }));
    await stop();
    noBalance(world);
    const old = await run(copy);
    const withdrawn = await old.core.sends.withdraw(id, ANA);
    expect(withdrawn).toMatchObject({ kind: 'withdrawn', view: { state: 'cancelled', mayBeSent: true } });
    await old.stop();
  });

  test.each(['declined', 'sent back'])(
    'and a request that is %s says so, as does a draft that is withdrawn',
    async (how) => {
      const world = await createCoreWorld();
      const { core, stop } = await runLinked(world);
      const link = await core.links.find('T1', 'C-sales');
      if (!link) throw new Error('the channel is not linked');
      await saveLimits(core, link.link, { ...limitsOf(link.link), approvalAbove: 0 });
      const { id } = await drafted(core);
      const other = await drafted(core);
      expect(await core.approvals.ask(id, ANA, null)).toMatchObject({ kind: 'asked' });
      const copy = withCopy(world);
      expect(await core.approvals.approve(id, ADMIN, async () => ANA)).toMatchObject({ kind: 'running' });
      await ended(core, id);
      await stop();
      noBalance(world);
      const old = await run(copy);
      const { approvals, sends } = old.core;
      const decided = await (how === 'declined'
        ? approvals.decline(id, ADMIN, 'Not today')
        : approvals.sendBack(id, 'The channel is not linked any more.'));
      expect(decided).toMatchObject({ kind: 'declined', view: { state: 'declined', mayBeSent: true } });
      await sends.withdraw(other.id, ANA);
      expect(await sends.view(other.id)).toMatchObject({ state: 'cancelled', mayBeSent: true });
      const fresh = await drafted(old.core);
      await sends.withdraw(fresh.id, ANA);
      expect((await sends.view(fresh.id))?.mayBeSent).toBeUndefined();
      await old.stop();
    },
  );

  test('and asking for approval is no way round', async () => {
    const world = await createCoreWorld();
    const { core, stop } = await runLinked(world);
    const { id } = await drafted(core);
    const copy = withCopy(world);
    expect(await core.sends.confirm(id, ANA, null)).toMatchObject({ kind: 'running' });
    await ended(core, id);
    await stop();
    noBalance(world);
    const old = await run(copy);
    const link = await old.core.links.find('T1', 'C-sales');
    if (!link) throw new Error('the channel is not linked');
    await saveLimits(old.core, link.link, { ...limitsOf(link.link), approvalAbove: 0 });
    expect(await old.core.approvals.ask(id, ANA, null)).toMatchObject({ kind: 'asked' });
    const approve = () => old.core.approvals.approve(id, ADMIN, async () => ANA);
    expect(await approve()).toEqual({ kind: 'no_balance' });
    world.service.clearFaults();
    expect(await approve()).toMatchObject({ kind: 'too_late', view: { state: 'expired' } });
    expect(world.service.messages).toHaveLength(1);
  });
});

describe.concurrent('after an ordinary restart', () => {
  /** A draft, and a bot that started after it. */
  async function restarted(prepare: (world: CoreWorld) => void = () => {}) {
    const world = await createCoreWorld();
    const first = await runLinked(world);
    const draft = await drafted(first.core);
    await first.stop();
    prepare(world);
    const reads = world.balanceRequests().length;
    const { core } = await run(world);
    return { world, core, id: draft.id, reads: () => world.balanceRequests().length - reads };
  }

  test('who cancels a draft from before reads that nothing was sent, after one look at the balance', async () => {
    const { core, id, reads } = await restarted();
    expect(await core.sends.withdraw(id, ANA)).toMatchObject({
      kind: 'withdrawn',
      view: { state: 'cancelled' },
    });
    expect((await core.sends.view(id))?.mayBeSent).toBeUndefined();
    expect(reads()).toBeLessThanOrEqual(1);
  });

  test('a draft from before is sent, after one look at the balance', async () => {
    const { world, core, id, reads } = await restarted(slowBalance);
    expect(await core.sends.confirm(id, ANA, null)).toMatchObject({ kind: 'running' });
    expect(reads()).toBe(1);
    expect(await ended(core, id)).toMatchObject({ outcome: 'sent' });
    expect(world.service.messages).toHaveLength(1);
  });

  test('and waits while the balance can’t be read; a new one is sent', async () => {
    const { world, core, id } = await restarted(noBalance);
    expect(await core.sends.confirm(id, ANA, null)).toEqual({ kind: 'no_balance' });
    expect(world.sendRequests()).toEqual([]);
    await ended(core, (await confirmed(core)).id);
    world.service.clearFaults();
    expect(await core.sends.confirm(id, ANA, null)).toMatchObject({ kind: 'running' });
    await ended(core, id);
    expect(world.sendRequests()).toHaveLength(2);
  });

  test('and if others’ texts are sent while the balance is read: it is read again', async () => {
    const world = await createCoreWorld();
    const first = await runLinked(world);
    const { id } = await drafted(first.core);
    await first.stop();
    let disturbed = 0;
    const { core } = await run(world, {
      prepare({ tap }) {
        tap.intercept('permitBalanceRead', (real) => async (...args) => {
          const taken = await real(...args);
          disturbed += 1;
          if (disturbed > 2 || taken.kind === 'wait') return taken;
          return { ...taken, marker: { ...taken.marker, nothingSending: false, idle: false } };
        });
      },
    });
    expect(await core.sends.confirm(id, ANA, null)).toMatchObject({ kind: 'running' });
    expect(disturbed).toBeGreaterThan(2);
  });

  test('goes out if other programs use the key and its credits', async () => {
    const world = await createCoreWorld();
    const first = await runLinked(world);
    await first.core.refusals.setShared(first.instance, true, ADMIN.id);
    const { id } = await drafted(first.core);
    await first.stop();
    world.service.setCredits(1, 900);
    const { core } = await run(world);
    expect(await core.sends.confirm(id, ANA, null)).toMatchObject({ kind: 'running' });
  });
});

test
  .skipIf(withoutRedis)
  .concurrent(
    'a replica that took over has an old copy, and the balance proves nothing: people read that it may be sent already',
    async () => {
      const world = await createCoreWorld({ limits: SHORT_LIMITS });
      const redis = await startRedisPair();
      whenOver(() => redis.close());
      const open = joinRedis(redis);
      const first = await runLinked(world, { open });
      // Others use the credits, too.
      await first.core.refusals.setShared(first.instance, true, ADMIN.id);
      const text = await drafted(first.core);
      const list = await draftedJob(first.core, { count: 3 });
      await redis.cutOff();
      expect(await first.core.sends.confirm(text.id, ANA, null)).toMatchObject({ kind: 'running' });
      await ended(first.core, text.id);
      await first.stop();
      first.kill();
      await redis.failOver();
      const { core } = await run(world, { open });
      const mayBeSent = {
        kind: 'may_be_sent',
        view: { state: 'draft', mayBeSent: expect.stringMatching(/^\w+ \d+$/) },
      };
      await eventually(async () =>
        expect(await core.sends.confirm(text.id, ANA, null)).toMatchObject(mayBeSent),
      );
      expect(await core.jobs.confirm(list.id, ANA, null)).toMatchObject(mayBeSent);
      expect(world.sendRequests()).toHaveLength(1);
      const seen = await core.sends.view(text.id);
      const anyway = { evenIfSent: String(seen?.mayBeSent) };
      expect(await core.sends.confirm(text.id, ANA, null, anyway)).toMatchObject({ kind: 'running' });
      await ended(core, text.id);
      expect(world.sendRequests()).toHaveLength(2);
      expect(await core.jobs.confirm(list.id, ANA, null, anyway)).toMatchObject({ kind: 'running' });
      const later = await drafted(core, { text: 'Later' });
      expect(await core.sends.confirm(later.id, ANA, null)).toMatchObject({ kind: 'running' });
    },
  );

test
  .skipIf(withoutRedis)
  .concurrent(
    'a Redis that may forget writes was started again: people read that it may be sent already',
    async () => {
      const world = await createCoreWorld({ limits: SHORT_LIMITS });
      const redis = await startRedis();
      whenOver(() => redis.close());
      const open = joinRedis(redis, { allowVolatile: true });
      const bot = await runLinked(world, { open });
      await bot.core.refusals.setShared(bot.instance, true, ADMIN.id);
      const { id } = await drafted(bot.core);
      const copy = redis.copy();
      expect(await bot.core.sends.confirm(id, ANA, null)).toMatchObject({ kind: 'running' });
      await ended(bot.core, id);
      await bot.stop();
      bot.kill();
      // It starts with the last data that it saved.
      await redis.putBack(copy);
      const { core } = await run(world, { open });
      await eventually(async () =>
        expect(await core.sends.confirm(id, ANA, null)).toMatchObject({ kind: 'may_be_sent' }),
      );
      expect(world.sendRequests()).toHaveLength(1);
    },
  );

const SENT_ALREADY = { kind: 'too_late', view: { state: 'finished', outcome: 'sent' } };

test.skipIf(withoutRedis).concurrent.each([
  { bots: 'stopped', answer: EXPIRED },
  { bots: 'running, without the one that sent it', answer: EXPIRED },
  { bots: 'running', answer: SENT_ALREADY },
])(
  'an old copy is put back under bots that are $bots: none sends its draft a second time',
  async ({ bots, answer }) => {
    const world = await createCoreWorld({ limits: SHORT_LIMITS });
    const server = await startRedis();
    whenOver(() => server.close());
    const open = joinRedis(server);
    const first = await runLinked(world, { open });
    const { id } = await drafted(first.core);
    const copy = server.copy();
    expect(await first.core.sends.confirm(id, ANA, null)).toMatchObject({ kind: 'running' });
    await ended(first.core, id);
    const before = [first, await run(world, { open })];
    if (bots !== 'running') {
      const over = bots === 'stopped' ? before : [first];
      for (const bot of over) await bot.stop();
      for (const bot of over) bot.kill();
    }
    slowBalance(world);
    await server.putBack(copy);
    const after = {
      stopped: async () => [await run(world, { open }), await run(world, { open })],
      running: async () => before,
      'running, without the one that sent it': async () => before.slice(1),
    };
    for (const bot of await after[bots as keyof typeof after]()) {
      await eventually(async () => expect(await bot.core.sends.confirm(id, ANA, null)).toMatchObject(answer));
    }
    expect(world.sendRequests()).toHaveLength(1);
  },
);
