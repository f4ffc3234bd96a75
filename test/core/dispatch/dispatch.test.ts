import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { fuseOf } from '../../../src/core/dispatch/request-gate.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { ApiKey } from '../../../src/sms/api-key.ts';
import { StoreTroubleError } from '../../../src/store/store-error.ts';
import { jobIn, startedJob } from '../../helpers/core-jobs.ts';
import { createGate } from '../../helpers/core-ledger.ts';
import { aNumber } from '../../helpers/core-people.ts';
import { confirmed, drafted, ended, endsTold, eventually, viewOf } from '../../helpers/core-sends.ts';
import { ACME_KEY, ACME_KEY_TOO, createCoreWorld, run, runLinked } from '../../helpers/core-world.ts';

const HANGS = { kind: 'hang', endpoint: 'send' } as const;

describe('the fuse between intent and request', () => {
  test('leaves the request its own deadline within the lease', () => {
    const limits = { permits: 60, windowMs: 60_000, timeoutMs: 15_000 };
    expect(fuseOf({ ...limits, leaseMs: 30_000 })).toBe(1000);
    expect(fuseOf({ ...limits, leaseMs: 15_500 })).toBe(250);
  });

  test.each(['steady', 'wall'] as const)(
    'if the %s clock has jumped, nothing is sent under that intent',
    async (which) => {
      const world = await createCoreWorld();
      const { core, tap, ledger } = await runLinked(world);
      let takes = 0;
      tap.intercept('take', (take) => async (request) => {
        const taken = await take(request);
        if (taken.kind === 'taken') {
          takes += 1;
          if (takes <= 2) world.time.jump(which, 1001);
        }
        return taken;
      });
      const { id } = await confirmed(core);
      expect((await ended(core, id)).outcome).toBe('sent');
      expect((await ledger.chunks(id))[0]?.attempt).toBe(3);
      expect(world.sendRequests()).toHaveLength(1);
    },
  );

  test('a machine that always starts later sends nothing, and says so after 10 s', async () => {
    const world = await createCoreWorld();
    const { core, tap } = await runLinked(world);
    tap.intercept('take', (take) => async (request) => {
      const taken = await take(request);
      if (taken.kind === 'taken') world.time.advance(1500);
      return taken;
    });
    const { id } = await confirmed(core);
    expect(await ended(core, id)).toMatchObject({ outcome: 'not_sent', result: { cause: 'given_up' } });
    expect(world.sendRequests()).toHaveLength(0);
  });
});

test('a text whose confirmation can not be read goes back before its request: it is not unknown', async () => {
  const world = await createCoreWorld();
  const { core, tap } = await runLinked(world);
  let takes = 0;
  tap.intercept('take', (take) => async (request) => {
    const taken = await take(request);
    if (taken.kind !== 'taken') return taken;
    takes += 1;
    return takes > 1 ? taken : { ...taken, send: { ...taken.send, details: { accountId: 0 } } };
  });
  const { id } = await confirmed(core);
  expect(await ended(core, id)).toMatchObject({ outcome: 'sent' });
  expect(takes).toBe(2);
  expect(world.sendRequests()).toHaveLength(1);
  expect(world.logged()).toMatch(/"check":"unlikeConfirmed".*a check before a request failed/);
});

test('a decision from before the machine slept is not carried out, though the store’s clock stood still', async () => {
  const world = await createCoreWorld();
  const { core, tap } = await runLinked(world);
  const gate = createGate();
  tap.intercept('take', (take) => async (request) => {
    await gate.pass();
    return take(request);
  });
  const { id } = await confirmed(core);
  world.time.jump('wall', 3_600_000);
  gate.open();
  expect(await ended(core, id)).toMatchObject({ outcome: 'not_sent', result: { cause: 'given_up' } });
  expect(world.sendRequests()).toHaveLength(0);
});

test('nor is one during which the machine slept', async () => {
  const world = await createCoreWorld();
  const { core, tap } = await runLinked(world);
  tap.intercept('decide', (decide) => async (id, decision) => {
    const decided = await decide(id, decision);
    world.time.jump('wall', 3_600_000);
    return decided;
  });
  const { id } = await confirmed(core);
  expect(await ended(core, id)).toMatchObject({ outcome: 'not_sent', result: { cause: 'given_up' } });
  expect(world.sendRequests()).toHaveLength(0);
});

test('a bot whose wall clock is an hour ahead sends what another bot decided: the store’s clock counts', async () => {
  const world = await createCoreWorld();
  const one = await runLinked(world);
  one.tap.intercept('take', () => async () => ({ kind: 'idle' }));
  const { id } = await confirmed(one.core);
  world.time.jump('wall', 3_600_000);
  const other = await run(world);
  expect(await ended(other.core, id)).toMatchObject({ outcome: 'sent' });
});

describe('a ledger that refuses', () => {
  test.each([
    { when: 'before', failures: 3 },
    { when: 'after', failures: 1 },
    { when: 'after', failures: 3 },
  ])('settling, $failures times, $when it is written: one request, and its answer is kept', async (row) => {
    const world = await createCoreWorld();
    const { core, tap } = await runLinked(world);
    let failures = 0;
    tap.intercept('settle', (settle) => async (...args) => {
      if (failures === row.failures) return settle(...args);
      failures += 1;
      if (row.when === 'after') await settle(...args);
      throw new Error('the disk is full');
    });
    const { id } = await confirmed(core);
    await eventually(() => expect(failures).toBe(row.failures));
    expect(await ended(core, id)).toMatchObject({ outcome: 'sent', result: { creditsRemaining: 999 } });
    expect(world.sendRequests()).toHaveLength(1);
  });

  test('settling: nothing new starts until the answer is in the books', async () => {
    const world = await createCoreWorld();
    const { core, tap } = await runLinked(world);
    let mended = false;
    let failures = 0;
    tap.intercept('settle', (settle) => async (...args) => {
      if (mended) return settle(...args);
      failures += 1;
      throw new Error('the disk is full');
    });
    const first = await confirmed(core);
    await eventually(() => expect(failures).toBeGreaterThan(1));
    const others = await Promise.all([confirmed(core), confirmed(core), confirmed(core)]);
    await sleep(200);
    expect(world.sendRequests()).toHaveLength(1);
    mended = true;
    for (const { id } of [first, ...others]) expect((await ended(core, id)).outcome).toBe('sent');
    expect(world.sendRequests()).toHaveLength(4);
  });

  test('to say "Sending…": the decision counts, the text goes out, and the receipt follows', async () => {
    const world = await createCoreWorld();
    const { core, tap, posted } = await runLinked(world);
    tap.intercept('announce', () => async () => {
      throw new Error('the disk is full');
    });
    const { id } = await confirmed(core);
    expect((await ended(core, id)).outcome).toBe('sent');
    await eventually(() => expect(endsTold(posted, id)).toEqual(['sent']));
    expect(world.sendRequests()).toHaveLength(1);
  });

  test('settling until the lease is over: a late truth replaces the unknown', async () => {
    const world = await createCoreWorld();
    const { core, tap, posted } = await runLinked(world);
    let mended = false;
    tap.intercept('settle', (settle) => async (...args) => {
      if (mended) return settle(...args);
      throw new Error('the disk is full');
    });
    const { id } = await confirmed(core);
    await eventually(() => expect(world.service.messages).toHaveLength(1));
    world.time.advance(world.limits.leaseMs);
    await eventually(() => expect(endsTold(posted, id)).toEqual(['unknown']));
    mended = true;
    await eventually(async () => expect((await viewOf(core, id)).outcome).toBe('sent'));
    await eventually(() => expect(endsTold(posted, id)).toEqual(['unknown', 'sent']));
    expect(world.sendRequests()).toHaveLength(1);
  });

  test('settling that nothing was sent until the lease is over: not sent replaces the unknown', async () => {
    const world = await createCoreWorld();
    const { core, tap, posted } = await runLinked(world);
    // The bot gets its attempt after the fuse, and can settle it only after the lease.
    tap.intercept('take', (take) => async (request) => {
      const taken = await take(request);
      if (taken.kind === 'taken') await sleep(fuseOf(world.limits) + 50);
      return taken;
    });
    let mended = false;
    tap.intercept('settle', (settle) => async (...args) => {
      if (mended) return settle(...args);
      throw new Error('the disk is full');
    });
    const { id } = await confirmed(core);
    await eventually(() => expect(world.logged()).toContain('keeping it and trying again'));
    world.time.advance(world.limits.leaseMs);
    await eventually(() => expect(endsTold(posted, id)).toEqual(['unknown']));
    mended = true;
    await eventually(() => expect(endsTold(posted, id)).toEqual(['unknown', 'not_sent']));
    expect((await viewOf(core, id)).result).toEqual({ cause: 'given_up' });
    expect(world.sendRequests()).toHaveLength(0);
  });

  test('to hand out work: nothing is requested, and it is sent once when the ledger is back', async () => {
    const world = await createCoreWorld();
    const { core, tap, ledger } = await runLinked(world);
    let mended = false;
    let failures = 0;
    tap.intercept('take', (take) => async (request) => {
      if (mended) return take(request);
      failures += 1;
      throw new Error('the disk is full');
    });
    const { id } = await confirmed(core);
    await eventually(() => expect(failures).toBeGreaterThan(2));
    expect(world.sendRequests()).toHaveLength(0);
    expect((await ledger.chunks(id))[0]).toMatchObject({ state: 'pending', attempt: 0 });
    mended = true;
    expect((await ended(core, id)).outcome).toBe('sent');
    expect(world.sendRequests()).toHaveLength(1);
  });

  test('to say that it handed out work: a chunk that it marked as sending is never sent', async () => {
    const world = await createCoreWorld();
    const { core, tap, ledger } = await runLinked(world);
    tap.intercept('take', (take) => async (request) => {
      const taken = await take(request);
      if (taken.kind === 'taken') throw new Error('the answer was lost');
      return taken;
    });
    const { id } = await confirmed(core);
    await eventually(async () => expect((await ledger.chunks(id))[0]?.state).toBe('sending'));
    world.time.advance(world.limits.leaseMs);
    await ended(core, id);
    expect(world.sendRequests()).toHaveLength(0);
  });

  test('to say that it handed out work, just before the key is replaced: the text goes out once', async () => {
    const world = await createCoreWorld();
    const { core, tap, instance } = await runLinked(world);
    let isLost = false;
    tap.intercept('take', (take) => async (request) => {
      const taken = await take(request);
      if (isLost || taken.kind !== 'taken') return taken;
      isLost = true;
      const key = ApiKey.from(ACME_KEY_TOO);
      await core.instances.replaceKey(instance, key, { acceptOtherAccount: false });
      throw new StoreTroubleError('late', 'the answer was lost');
    });
    const { id } = await confirmed(core);
    expect((await ended(core, id)).outcome).toBe('sent');
    expect(world.sendRequests()).toHaveLength(1);
  });

  test('to wake: a decided send is sent in the next round', async () => {
    const world = await createCoreWorld();
    const { core, tap } = await runLinked(world);
    const draft = await drafted(core);
    let failures = 0;
    tap.intercept('pendingWork', (pendingWork) => async () => {
      failures += 1;
      if (failures < 3) throw new Error('the disk is full');
      return pendingWork();
    });
    // The test decides in the ledger, not through core, so nobody wakes the worker.
    await tap.ledger.decide(draft.id, { to: 'running', by: 'U-ana' });
    expect((await ended(core, draft.id)).outcome).toBe('sent');
    expect(failures).toBeGreaterThan(2);
  });
});

test('a key that does not open: the log says so once, and all goes on as soon as the key is replaced', async () => {
  const world = await createCoreWorld();
  const { core, tap, instance, records } = await runLinked(world, {
    bulk: { minRecipients: 2 },
    listUndoMs: 500,
  });
  const { id } = await startedJob(core, { count: 2 });
  await records.instances.set(`T1/${instance.id}`, { ...instance, sealedKey: 'v1.damaged' });
  const saidWhy = () =>
    world
      .logged()
      .split('\n')
      .filter((line) => line.includes('not in a form'));
  await eventually(() => expect(saidWhy()).not.toEqual([]));
  let looks = 0;
  tap.intercept('pendingWork', (real) => () => {
    looks += 1;
    return real();
  });
  await eventually(() => expect(looks).toBeGreaterThan(20));
  expect(saidWhy()).toHaveLength(1);
  expect(world.service.messages).toEqual([]);
  await core.instances.replaceKey(instance, ApiKey.from(ACME_KEY), { acceptOtherAccount: false });
  await jobIn(core, id, 'finished');
  expect(await ended(core, (await confirmed(core)).id)).toMatchObject({ outcome: 'sent' });
});

describe('a restart', () => {
  test('while a request is in flight: unknown, announced once, and never requested again', async () => {
    const world = await createCoreWorld();
    const { core, kill } = await runLinked(world);
    world.service.addFault(HANGS);
    const { id } = await confirmed(core);
    await eventually(() => expect(world.sendRequests()).toHaveLength(1));
    kill();
    const next = await run(world);
    const view = await ended(next.core, id);
    expect(view).toMatchObject({ outcome: 'unknown', result: { cause: 'interrupted' } });
    await eventually(() => expect(endsTold(next.posted, id)).toEqual(['unknown']));
    world.time.advance(600_000);
    await sleep(100);
    await next.stop();
    const third = await run(world);
    await sleep(100);
    expect(world.sendRequests()).toHaveLength(1);
    expect((await viewOf(third.core, id)).outcome).toBe('unknown');
  });

  test.each([
    { after: 9000, becomes: 'sent', requests: 1 },
    { after: 10_001, becomes: 'not_sent', requests: 0 },
  ])('$after ms after the decision, before anything left: $becomes', async ({ after, becomes, requests }) => {
    const world = await createCoreWorld();
    const { core, tap, kill } = await runLinked(world);
    tap.intercept('take', () => () => new Promise(() => {}));
    const { id } = await confirmed(core);
    kill();
    world.time.advance(after);
    const next = await run(world);
    expect((await ended(next.core, id)).outcome).toBe(becomes);
    await eventually(() => expect(endsTold(next.posted, id)).toEqual([becomes]));
    expect(world.sendRequests()).toHaveLength(requests);
  });

  test('between answer and settlement: unknown, though the service has sent it', async () => {
    const world = await createCoreWorld();
    const { core, tap, kill } = await runLinked(world);
    const gate = createGate();
    tap.intercept('settle', () => async (): ReturnType<Ledger['settle']> => {
      await gate.pass();
      throw new Error('never reached: the process is dead');
    });
    const { id } = await confirmed(core);
    await eventually(() => expect(world.service.messages).toHaveLength(1));
    kill();
    const next = await run(world);
    expect((await ended(next.core, id)).outcome).toBe('unknown');
    expect(world.sendRequests()).toHaveLength(1);
  });

  test('after the settlement, before the receipt was posted: it is posted then', async () => {
    const world = await createCoreWorld();
    const { core, kill } = await runLinked(world, { deliver: () => new Promise(() => {}) });
    const { id } = await confirmed(core);
    await ended(core, id);
    kill();
    const next = await run(world);
    await eventually(() =>
      expect(next.posted.map(({ id }) => id).sort()).toEqual([`line:${id}`, `receipt:${id}`]),
    );
    expect(world.sendRequests()).toHaveLength(1);
  });
});

describe('many at once', () => {
  test('each of 40 confirmed sends is requested once, at most four at a time', async () => {
    const world = await createCoreWorld({ limits: { timeoutMs: 3000, leaseMs: 6000 } });
    const { core } = await runLinked(world);
    let inFlight = 0;
    let most = 0;
    world.service.on('request', ({ endpoint }) => {
      if (endpoint !== 'send') return;
      inFlight += 1;
      most = Math.max(most, inFlight);
    });
    world.service.on('answer', ({ endpoint }) => {
      if (endpoint === 'send') inFlight -= 1;
    });
    world.service.addFault({ kind: 'delay', endpoint: 'send', ms: 10, times: 'always' });
    const ids = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const number = aNumber(`+4420794600${String(10 + index)}`);
        return (await confirmed(core, { number })).id;
      }),
    );
    for (const id of ids) expect((await ended(core, id)).outcome).toBe('sent');
    expect(world.sendRequests()).toHaveLength(40);
    expect(new Set(world.service.messages.map(({ phone }) => phone)).size).toBe(40);
    expect(most).toBeLessThanOrEqual(4);
  });

  test('a stop lets requests in flight settle and starts nothing new', async () => {
    const world = await createCoreWorld({ limits: { timeoutMs: 3000, leaseMs: 6000 } });
    const { core, stop, ledger } = await runLinked(world);
    world.service.addFault({ kind: 'delay', endpoint: 'send', ms: 500, times: 'always' });
    const ids = await Promise.all(Array.from({ length: 8 }, async () => (await confirmed(core)).id));
    await eventually(() => expect(world.sendRequests()).toHaveLength(4));
    await stop();
    const states = await Promise.all(ids.map(async (id) => (await ledger.chunks(id))[0]?.state));
    expect(states.filter((state) => state === 'sent')).toHaveLength(4);
    expect(states.filter((state) => state === 'pending')).toHaveLength(4);
    expect(world.sendRequests()).toHaveLength(4);
  });
});
