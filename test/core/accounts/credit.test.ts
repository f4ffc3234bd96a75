import { describe, expect, test } from 'vitest';
import { createCredit } from '../../../src/core/accounts/credit.ts';
import type { Instance } from '../../../src/core/accounts/instances.ts';
import type { BalanceRead } from '../../../src/core/accounts/read-balance.ts';
import { createGate } from '../../helpers/core-ledger.ts';
import {
  ACME,
  ACME_KEY,
  ACME_KEY_TOO,
  addInstance,
  boot,
  type CoreWorld,
  createBooks,
  createCoreWorld,
  UNCHECKED,
} from '../../helpers/core-world.ts';

/** Only credit, on a world with the Acme instance. Adding its key took one balance request. */
async function startCredit(
  options: Parameters<typeof createCoreWorld>[0] = {},
  follow: () => Promise<void> = async () => {},
) {
  const world = await createCoreWorld(options);
  const booted = await boot(world);
  const { instances } = createBooks(booted);
  const instance = await addInstance({ instances });
  const reads: BalanceRead['kind'][] = [];
  const { ledger, sms, time, tap, log } = booted;
  const credit = createCredit({
    ledger,
    sms,
    instances,
    books: UNCHECKED,
    clock: time.clock,
    log,
    onRead: async (_instance, read) => {
      reads.push(read.kind);
      await follow();
    },
  });
  return { world, tap, ledger, instances, instance, credit, reads, requests: () => requestsSince(world) };
}

/** Counts the balance requests since then. */
function requestsSince(world: CoreWorld) {
  return world.balanceRequests().slice(1);
}

/** Books a receipt, like an answered send. */
async function bookReceipt(
  ledger: Awaited<ReturnType<typeof startCredit>>['ledger'],
  instance: Instance,
  creditsRemaining: number,
) {
  const id = `s-${Math.random()}`;
  const token = `t-${id}`;
  const chunks = [[{ phone: '442079460958', text: 'Hi' }]];
  const { team, accountId: account, keyFingerprint: rateLimitKey } = instance;
  await ledger.draft({
    id,
    team,
    channelId: 'C1',
    instance: instance.id,
    kind: 'single',
    details: {},
    topics: [],
    expiresInMs: 1000,
    chunks,
  });
  await ledger.decide(id, { to: 'running', by: 'U1' });
  await ledger.take({ instance: instance.id, rateLimitKey, account, priority: 'interactive', token });
  const receipt = { creditsUsed: 1, creditsRemaining };
  const settle = () =>
    ledger.settle({ send: id, index: 0 }, token, { to: 'sent', request: 'answered', receipt, result: null });
  return { settle };
}

describe('a balance read', () => {
  test('brings figure and account name, and books the figure', async () => {
    const { credit, instance, ledger, reads } = await startCredit();
    expect(await credit.read(instance, 'interactive')).toMatchObject({
      kind: 'ok',
      credits: 1000,
      userName: 'Acme Ltd',
      quiet: true,
    });
    expect(await ledger.account(instance.accountId)).toMatchObject({ credits: 1000, booked: 1000 });
    expect(await credit.known(instance)).toMatchObject({ credits: 1000 });
    expect(reads).toEqual(['ok']);
  });

  test('is shared by all who ask meanwhile', async () => {
    const { credit, instance, reads, requests } = await startCredit();
    const answers = await Promise.all(Array.from({ length: 20 }, () => credit.read(instance, 'interactive')));
    expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(['ok']));
    expect(requests()).toHaveLength(1);
    expect(reads).toEqual(['ok']);
    await credit.read(instance, 'interactive');
    expect(requests()).toHaveLength(2);
  });

  test('says when the service refuses the key, at the first answer', async () => {
    const { world, credit, instance, reads, requests } = await startCredit();
    world.service.revokeKey(ACME_KEY);
    expect(await credit.read(instance, 'interactive')).toEqual({ kind: 'key_refused' });
    expect(reads).toEqual(['key_refused']);
    expect(requests()).toHaveLength(1);
  });

  test.each([
    { kind: 'server_error' },
    { kind: 'reset' },
    { kind: 'garbage' },
    { kind: 'truncate' },
    { kind: 'bad_gateway' },
  ] as const)('is tried again after $kind, since it is safe to', async ({ kind }) => {
    const { world, credit, instance, requests } = await startCredit();
    world.service.addFault({ kind, endpoint: 'balance' });
    expect((await credit.read(instance, 'interactive')).kind).toBe('ok');
    expect(requests()).toHaveLength(2);
  });

  test('does not spend the minute’s permits on a service that is down', async () => {
    const { world, credit, instance, requests, reads } = await startCredit();
    world.service.addFault({ kind: 'server_error', endpoint: 'balance', times: 'always' });
    expect(await credit.read(instance, 'interactive')).toEqual({ kind: 'unavailable' });
    expect(requests()).toHaveLength(3);
    expect(reads).toEqual(['unavailable']);
  });

  test('is given up after two seconds without an answer', async () => {
    const { world, credit, instance, requests } = await startCredit({
      limits: { timeoutMs: 15_000, leaseMs: 30_000 },
    });
    world.service.addFault({ kind: 'hang', endpoint: 'balance', times: 'always' });
    expect(await credit.read(instance, 'interactive')).toEqual({ kind: 'unavailable' });
    expect(requests()).toHaveLength(1);
  });

  test('goes over the other host form when the first can’t be reached', async () => {
    const world = await createCoreWorld();
    const urlAlt = world.service.urlAlt;
    const instance = await addInstance(createBooks(await boot(world)));
    const booted = await boot(world, { baseUrl: 'http://127.0.0.1:9/api/v1', baseUrlAlt: urlAlt });
    const credit = createCredit({
      ...booted,
      ...createBooks(booted),
      books: UNCHECKED,
      clock: world.time.clock,
      onRead: async () => {},
    });
    expect((await credit.read(instance, 'interactive')).kind).toBe('ok');
    expect(requestsSince(world).map(({ host }) => host)).toEqual(['alt']);
  });

  test('says for how long there is no permit', async () => {
    const { credit, instance, requests } = await startCredit({ limits: { permits: 1 } });
    const read = await credit.read(instance, 'interactive');
    expect(read.kind).toBe('busy');
    if (read.kind === 'busy') {
      expect(read.seconds).toBeGreaterThan(50);
      expect(read.seconds).toBeLessThanOrEqual(61);
    }
    expect(requests()).toHaveLength(0);
  });

  test('says for how long the service takes no request', async () => {
    const { world, credit, instance } = await startCredit();
    world.service.setSwitches({ retryAfter: true, rateWindowMs: 7000 });
    world.service.addFault({ kind: 'rate_limited', endpoint: 'balance' });
    expect(await credit.read(instance, 'interactive')).toEqual({ kind: 'busy', seconds: 7 });
  });

  test('books nothing when the answer is from another account than the key’s', async () => {
    const { world, credit, instance, ledger } = await startCredit();
    const data = { credits: 7, user_id: 99, user_name: 'Somebody else' };
    world.service.addFault({
      kind: 'answer',
      endpoint: 'balance',
      status: 200,
      body: JSON.stringify({ success: true, data }),
    });
    expect(await credit.read(instance, 'interactive')).toEqual({ kind: 'other_account' });
    expect(await ledger.account(instance.accountId)).toBeUndefined();
  });
});

describe('a read at the same time', () => {
  test('with another key of the account: that key’s refusal says nothing about this one', async () => {
    const { world, credit, instance, instances } = await startCredit();
    const other = await addInstance({ instances }, ACME_KEY_TOO, 'Acme too');
    world.service.revokeKey(ACME_KEY);
    const [refused, fine] = await Promise.all([
      credit.read(instance, 'interactive'),
      credit.read(other, 'interactive'),
    ]);
    expect(refused.kind).toBe('key_refused');
    expect(fine.kind).toBe('ok');
  });

  test('with another key of the account: each key asks for itself, and the figure is booked once', async () => {
    const { world, credit, instance, instances, ledger } = await startCredit();
    const other = await addInstance({ instances }, ACME_KEY_TOO, 'Acme too');
    const before = world.balanceRequests().length;
    const answers = await Promise.all([
      credit.read(instance, 'interactive'),
      credit.read(other, 'interactive'),
    ]);
    expect(answers).toMatchObject([
      { kind: 'ok', credits: 1000 },
      { kind: 'ok', credits: 1000 },
    ]);
    expect(world.balanceRequests()).toHaveLength(before + 2);
    expect(await ledger.account(instance.accountId)).toMatchObject({ credits: 1000, booked: 1000 });
  });

  test('with one in the background: people may use permits that it may not', async () => {
    const { credit, instance } = await startCredit({ limits: { permits: 2 } });
    const [background, person] = await Promise.all([
      credit.read(instance, 'background'),
      credit.read(instance, 'interactive'),
    ]);
    expect(background.kind).toBe('busy');
    expect(person.kind).toBe('ok');
  });
});

describe('the known figure', () => {
  test('is good for a draft up to its age, then it is read again', async () => {
    const { world, credit, instance, requests } = await startCredit();
    expect(await credit.recent(instance, 30_000)).toBe(1000);
    world.service.setCredits(ACME, 500);
    world.time.advance(29_000);
    expect(await credit.recent(instance, 30_000)).toBe(1000);
    world.time.advance(2000);
    expect(await credit.recent(instance, 30_000)).toBe(500);
    expect(requests()).toHaveLength(2);
  });

  test('is none if nothing is known and the service does not answer', async () => {
    const { world, credit, instance } = await startCredit();
    world.service.addFault({ kind: 'server_error', endpoint: 'balance', times: 'always' });
    expect(await credit.recent(instance, 30_000)).toBeUndefined();
    expect(await credit.known(instance)).toBeUndefined();
  });

  test('falls with each receipt', async () => {
    const { credit, instance, ledger } = await startCredit();
    await credit.read(instance, 'interactive');
    const { settle } = await bookReceipt(ledger, instance, 999);
    await settle();
    expect(await ledger.account(instance.accountId)).toMatchObject({ credits: 999, booked: 999 });
  });

  test('does not rise by a read during which something was in flight', async () => {
    const { world, credit, instance, ledger } = await startCredit();
    world.service.setCredits(ACME, 100);
    await credit.read(instance, 'interactive');
    const { settle } = await bookReceipt(ledger, instance, 99);
    world.service.setCredits(ACME, 5000);
    expect(await credit.read(instance, 'interactive')).toMatchObject({ quiet: false, credits: 5000 });
    expect((await credit.known(instance))?.credits).toBe(100);
    await settle();
    expect((await credit.known(instance))?.credits).toBe(99);
    expect(await credit.read(instance, 'interactive')).toMatchObject({ quiet: true });
    expect((await credit.known(instance))?.credits).toBe(5000);
  });

  test('does not rise by a read during which something began and ended', async () => {
    const { world, tap, credit, instance, ledger } = await startCredit();
    world.service.setCredits(ACME, 100);
    await credit.read(instance, 'interactive');
    world.service.setCredits(ACME, 5000);
    const gate = createGate();
    tap.intercept('recordBalance', (record) => async (...args) => {
      await gate.pass();
      return record(...args);
    });
    const reading = credit.read(instance, 'interactive');
    await expect.poll(() => requestsSince(world).length).toBe(2);
    await (await bookReceipt(ledger, instance, 99)).settle();
    gate.open();
    expect(await reading).toMatchObject({ quiet: false });
    expect((await credit.known(instance))?.credits).toBe(99);
  });

  test('is said before it is recorded, which ends its permit', async () => {
    const { tap, credit, instance } = await startCredit();
    let isRecorded = false;
    tap.intercept('recordBalance', (record) => (...args) => {
      isRecorded = true;
      return record(...args);
    });
    const { said, recorded } = await credit.ask(instance, 'interactive');
    expect(said).toEqual({
      kind: 'ok',
      credits: 1000,
      userName: 'Acme Ltd',
      readAt: expect.any(Number),
    });
    expect(isRecorded).toBe(false);
    await recorded;
    expect(isRecorded).toBe(true);
  });

  test('is shared until it is recorded; then the next person asks again', async () => {
    const { world, tap, credit, instance, requests } = await startCredit();
    const gate = createGate();
    tap.intercept('recordBalance', (record) => async (...args) => {
      await gate.pass();
      return record(...args);
    });
    const first = await credit.ask(instance, 'interactive');
    const second = await credit.ask(instance, 'interactive');
    const drafts = credit.recent(instance, 30_000);
    expect(second.said).toEqual(first.said);
    expect(requests()).toHaveLength(1);

    world.service.setCredits(ACME, 400);
    gate.open();
    expect(await second.recorded).toMatchObject({ kind: 'ok', credits: 1000 });
    expect(await drafts).toBe(1000);
    expect(requests()).toHaveLength(1);
    expect((await credit.ask(instance, 'interactive')).said).toMatchObject({ credits: 400 });
    expect(requests()).toHaveLength(2);
  });

  test('stays said if it can’t be recorded', async () => {
    const { tap, credit, instance, reads } = await startCredit();
    tap.intercept('recordBalance', () => async () => {
      throw new Error('no room');
    });
    const { said, recorded } = await credit.ask(instance, 'interactive');
    expect(said).toMatchObject({ kind: 'ok', credits: 1000 });
    await expect(recorded).rejects.toThrow('no room');
    await expect(credit.read(instance, 'interactive')).rejects.toThrow('no room');
    expect(reads).toEqual([]);
  });

  test.each([
    { refused: false, kind: 'ok' },
    { refused: true, kind: 'key_refused' },
  ])('is $kind for all who share it, though what follows it fails', async ({ refused, kind }) => {
    const { world, credit, instance } = await startCredit({}, async () => {
      throw new Error('no warnings today');
    });
    if (refused) world.service.revokeKey(ACME_KEY);
    const first = credit.ask(instance, 'interactive');
    const shared = credit.read(instance, 'interactive');
    expect((await first).said.kind).toBe(kind);
    expect((await shared).kind).toBe(kind);
    await expect((await first).recorded).rejects.toThrow('no warnings today');
  });
});

describe('what was just read', () => {
  test('is there for a quarter of a second', async () => {
    const { world, credit, instance, requests } = await startCredit();
    expect(await credit.justRead(instance)).toBeUndefined();
    await credit.read(instance, 'interactive');
    world.service.setCredits(ACME, 400);
    world.time.advance(100);
    expect(await credit.justRead(instance)).toMatchObject({ credits: 1000, userName: 'Acme Ltd' });
    world.time.advance(250);
    expect(await credit.justRead(instance)).toBeUndefined();
    expect(requests()).toHaveLength(1);
  });

  test('is as old as the answer, though it was recorded long after', async () => {
    const { world, tap, credit, instance } = await startCredit();
    tap.intercept('recordBalance', (record) => async (...args) => {
      world.time.advance(251);
      return record(...args);
    });
    await credit.read(instance, 'interactive');
    expect(await credit.justRead(instance)).toBeUndefined();
  });

  test('is over if the clock was set back', async () => {
    const { world, credit, instance } = await startCredit();
    await credit.read(instance, 'interactive');
    world.time.jump('wall', -3_600_000);
    expect(await credit.justRead(instance)).toBeUndefined();
  });

  test('is over once a text is on its way', async () => {
    const { credit, instance, ledger } = await startCredit();
    await credit.read(instance, 'interactive');
    expect(await credit.justRead(instance)).toMatchObject({ credits: 1000 });
    const { settle } = await bookReceipt(ledger, instance, 5990);
    expect(await credit.justRead(instance)).toBeUndefined();
    await settle();
    // The books say more than was read: somebody topped up in between, and no entry of the books shows it.
    expect(await credit.known(instance)).toMatchObject({ credits: 1000 });
    expect(await credit.justRead(instance)).toBeUndefined();
  });

  test('is nothing if a text was charged before the figure was recorded', async () => {
    const { tap, credit, instance, ledger } = await startCredit();
    await credit.read(instance, 'interactive');
    const { settle } = await bookReceipt(ledger, instance, 990);
    tap.intercept('recordBalance', (record) => async (...args) => {
      await settle();
      return record(...args);
    });
    expect(await credit.read(instance, 'interactive')).toMatchObject({ credits: 1000, quiet: false });
    expect(await credit.known(instance)).toMatchObject({ credits: 990 });
    expect(await credit.justRead(instance)).toBeUndefined();
  });

  test('is over if another process has read another figure', async () => {
    const { world, credit, instance, ledger } = await startCredit();
    await credit.read(instance, 'interactive');
    world.time.advance(1);
    await ledger.recordBalance(await ledger.markBalanceRead(instance.accountId), 400);
    expect(await credit.justRead(instance)).toBeUndefined();
  });

  test('is nothing if the service refuses the key', async () => {
    const { world, credit, instance } = await startCredit();
    world.service.revokeKey(ACME_KEY);
    await credit.read(instance, 'interactive');
    expect(await credit.justRead(instance)).toBeUndefined();
  });

  test('is nothing if the figure could not be recorded', async () => {
    const { tap, credit, instance } = await startCredit();
    tap.intercept('recordBalance', () => async () => {
      throw new Error('no room');
    });
    await expect(credit.read(instance, 'interactive')).rejects.toThrow('no room');
    expect(await credit.justRead(instance)).toBeUndefined();
  });

  test('decides nothing: the reader asks the service', async () => {
    const { world, credit, instance, requests } = await startCredit();
    await credit.read(instance, 'interactive');
    world.service.setCredits(ACME, 400);
    expect(await credit.readFresh(instance, 'interactive')).toMatchObject({ credits: 400 });
    world.service.setCredits(ACME, 300);
    expect(await credit.askIfShort(instance, 400, 500)).toBe(300);
    expect(requests()).toHaveLength(3);
  });

  test('a read that must be fresh shares none that began before it', async () => {
    const { world, credit, instance, requests } = await startCredit();
    world.service.addFault({ kind: 'delay', endpoint: 'balance', ms: 300 });
    const before = credit.read(instance, 'interactive');
    await expect.poll(() => requests().length).toBe(1);
    const fresh = credit.readFresh(instance, 'interactive');
    await before;
    world.service.setCredits(ACME, 400);
    await fresh;
    expect(requests()).toHaveLength(2);
  });

  test('a figure that is too small is none if the service cannot be asked', async () => {
    const { world, credit, instance } = await startCredit();
    world.service.addFault({ kind: 'server_error', endpoint: 'balance', times: 'always' });
    expect(await credit.askIfShort(instance, 400, 500)).toBeUndefined();
    expect(await credit.askIfShort(instance, 400, 400)).toBe(400);
  });
});
