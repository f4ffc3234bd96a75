import { describe, expect, test } from 'vitest';
import { createCredit } from '../../../src/core/accounts/credit.ts';
import { chargesBy, judge } from '../../../src/core/dispatch/judge-evidence.ts';
import { createEvidenceSeeker } from '../../../src/core/dispatch/seek-evidence.ts';
import type { Evidence } from '../../../src/core/sends/chunk-result.ts';
import type { ChunkRecord } from '../../../src/ledger/model/chunk-record.ts';
import { defined } from '../../../src/ledger/model/defined.ts';
import type { EvidenceCase } from '../../../src/ledger/unknowns/evidence.ts';
import { confirmed, ended, endsTold, eventually, viewOf } from '../../helpers/core-sends.ts';
import {
  ACME,
  ACME_KEY,
  ACME_KEY_TOO,
  addInstance,
  boot,
  createBooks,
  createCoreWorld,
  runLinked,
} from '../../helpers/core-world.ts';

const BETWEEN_READS_MS = 5000;
const STILL_LEAVES_MS = 105_000;

function aCase(booked: number | undefined, messages = 1): EvidenceCase {
  const chunk = { messages: [{ phone: '1', text: 'Hi' }] } as ChunkRecord;
  return {
    account: { id: 'a', credits: 0, asOf: 0, activity: 0, ...defined({ booked }) },
    unknowns: Array(messages).fill(chunk),
    readyAt: 0,
  };
}

describe('the verdict of a balance', () => {
  test.each([
    {
      means: 'nothing was charged',
      booked: 999,
      now: 999,
      cost: 1,
      verdict: 'probably_not_sent',
      before: 999,
    },
    {
      means: 'it was charged',
      booked: 999,
      now: 998,
      cost: 1,
      verdict: 'probably_sent',
      before: 999,
    },
    {
      means: 'all of three were charged',
      booked: 1000,
      now: 994,
      cost: 6,
      messages: 3,
      verdict: 'probably_sent',
      before: 1000,
    },
    {
      means: 'some of three were charged',
      booked: 1000,
      now: 998,
      cost: 6,
      messages: 3,
      verdict: 'undecided',
      before: 1000,
    },
    {
      means: 'more went than they cost',
      booked: 1000,
      now: 990,
      cost: 6,
      messages: 3,
      verdict: 'undecided',
      before: 1000,
    },
    {
      means: 'somebody topped up',
      booked: 1000,
      now: 1200,
      cost: 1,
      verdict: 'topped_up',
      before: 1000,
    },
    {
      means: 'the price is not known',
      booked: 1000,
      now: 998,
      cost: undefined,
      verdict: 'none',
    },
    { means: 'the text is free', booked: 1000, now: 1000, cost: 0, verdict: 'none' },
    { means: 'there is nothing to compare with', booked: undefined, now: 998, cost: 1, verdict: 'none' },
  ])('$means: $verdict', ({ booked, now, cost, messages = 1, verdict, before }) => {
    const figures = before === undefined ? {} : { before, after: now, messages };
    const mayBeFree = cost === 0;
    expect(judge(aCase(booked, messages), now, { cost, mayBeFree })).toEqual({ verdict, ...figures });
  });
});

test('charges of a fraction of a credit each are whole credits, and add up to the cost', async () => {
  const prices = { costOf: async () => 1 / 3 };
  expect(await chargesBy(prices, { verdict: 'probably_sent' }, aCase(1000, 3))).toEqual([0, 1, 0]);
});

/** A bot that seeks no evidence by itself, a seeker beside it, and an unknown send in its books. */
async function start(fault: { when: 'before' | 'after' } = { when: 'before' }) {
  const world = await createCoreWorld();
  const first = await runLinked(world);
  world.service.addFault({ kind: 'reset', endpoint: 'send', when: fault.when });
  const { id } = await confirmed(first.core);
  expect((await ended(first.core, id)).outcome).toBe('unknown');
  await first.stop();

  const booted = await boot(world);
  const books = createBooks(booted);
  const { ledger, sms, time, log } = booted;
  const { clock } = time;
  const areBooksCompared = { yes: true };
  /** The keys that the service refuses with a message of its own. */
  const blocked = new Set<string>();
  const credit = createCredit({
    ledger,
    sms: {
      ...sms,
      balance: async (key, limits) =>
        blocked.has(key.reveal())
          ? {
              outcome: 'refused',
              status: 403,
              reason: 'other',
              code: 'BLOCKED',
              message: 'Not with this key.',
            }
          : sms.balance(key, limits),
    },
    ...books,
    books: { compare: async () => areBooksCompared.yes },
    clock,
    log,
    onRead: async () => {},
  });
  const look = createEvidenceSeeker({
    ledger,
    credit,
    ...books,
    prices: { costOf: async (_, chunks) => chunks.length, mayBeFree: async () => false },
    clock,
    log,
  });
  const seeker = {
    look: async (signal?: AbortSignal) => look((await ledger.pendingWork()).unexplained, signal),
  };
  /** Then the request is over; by default also Linux's last try to deliver it. */
  const pastDeadline = (by = STILL_LEAVES_MS) => time.advance(world.limits.leaseMs + by);
  const balances = world.balanceRequests().length;
  return {
    ...booted,
    ...books,
    world,
    id,
    blocked,
    areBooksCompared,
    seeker,
    pastDeadline,
    instance: first.instance,
    reads: () => world.balanceRequests().length - balances,
    evidence: async () => (await ledger.chunks(id))[0]?.evidence as Evidence | undefined,
  };
}

describe('looking for evidence', () => {
  test.each([
    { when: 'before', verdict: 'probably_not_sent', after: 1000 },
    { when: 'after', verdict: 'probably_sent', after: 999 },
  ] as const)('of a send that broke off $when the charge', async ({ when, verdict, after }) => {
    const { seeker, pastDeadline, evidence, reads, id, ledger, world } = await start({ when });
    pastDeadline();
    await seeker.look();
    expect(await evidence()).toEqual({ verdict, before: 1000, after, messages: 1 });
    expect(reads()).toBe(2);
    // The bot only shows the evidence: the state stays, it sends nothing, and looks no more.
    expect((await ledger.chunks(id))[0]?.state).toBe('unknown');
    await seeker.look();
    expect(reads()).toBe(2);
    expect(world.sendRequests()).toHaveLength(1);
    expect((await ledger.account((await ledger.chunks(id))[0]?.account ?? ''))?.booked).toBe(after);
  });

  test('takes no unmoved balance for a clue while Linux may still deliver the request', async () => {
    const { seeker, pastDeadline, evidence, reads, world } = await start();
    pastDeadline(0);
    await seeker.look();
    expect([await evidence(), reads()]).toEqual([undefined, 2]);
    world.time.advance(STILL_LEAVES_MS - BETWEEN_READS_MS - 1);
    await seeker.look();
    expect([await evidence(), reads()]).toEqual([undefined, 4]);
    world.time.advance(60_000);
    await seeker.look();
    expect((await evidence())?.verdict).toBe('probably_not_sent');
  });

  test('nor a top-up, which hides what was charged: people could resend the text', async () => {
    const { seeker, pastDeadline, evidence, world } = await start();
    pastDeadline(0);
    world.service.topUp(ACME, 50);
    await seeker.look();
    expect(await evidence()).toBeUndefined();
    world.time.advance(STILL_LEAVES_MS);
    await seeker.look();
    expect((await evidence())?.verdict).toBe('topped_up');
  });

  test('tells of a charge at once', async () => {
    const { seeker, pastDeadline, evidence } = await start({ when: 'after' });
    pastDeadline(0);
    await seeker.look();
    expect((await evidence())?.verdict).toBe('probably_sent');
  });

  test('waits for the deadline of every unknown', async () => {
    const { seeker, pastDeadline, evidence, reads } = await start();
    await seeker.look();
    expect([await evidence(), reads()]).toEqual([undefined, 0]);
    pastDeadline();
    await seeker.look();
    expect((await evidence())?.verdict).toBe('probably_not_sent');
  });

  test('says so when somebody topped up meanwhile', async () => {
    const { seeker, pastDeadline, evidence, world } = await start({ when: 'after' });
    pastDeadline();
    world.service.topUp(ACME, 50);
    await seeker.look();
    expect(await evidence()).toEqual({ verdict: 'topped_up', before: 1000, after: 1049, messages: 1 });
  });

  test('needs two equal reads: a charge that is booked between them is waited for', async () => {
    const { seeker, pastDeadline, evidence, world, time } = await start();
    pastDeadline();
    let once = true;
    time.duringSleepOf(BETWEEN_READS_MS, () => {
      if (once) world.service.topUp(ACME, -1);
      once = false;
    });
    await seeker.look();
    expect(await evidence()).toBeUndefined();
    time.advance(60_000);
    await seeker.look();
    expect(await evidence()).toEqual({ verdict: 'probably_sent', before: 1000, after: 999, messages: 1 });
  });

  test('is misled by a charge that comes after both reads: the verdict sends nothing, and the books go on', async () => {
    const { seeker, pastDeadline, evidence, world, ledger, id } = await start();
    pastDeadline();
    await seeker.look();
    world.service.topUp(ACME, -1);
    await seeker.look();
    expect((await evidence())?.verdict).toBe('probably_not_sent');
    const [chunk] = await ledger.chunks(id);
    expect(chunk?.state).toBe('unknown');
    expect(world.sendRequests()).toHaveLength(1);
    const account = chunk?.account ?? '';
    const read = await ledger.recordBalance(await ledger.markBalanceRead(account), 999);
    expect(read).toMatchObject({ difference: { kind: 'elsewhere', credits: -1 } });
  });

  test('needs a quiet account: texts that are sent meanwhile put it off', async () => {
    const { seeker, pastDeadline, evidence, time, ledger, instance } = await start();
    pastDeadline();
    const token = 'other';
    await ledger.draft({
      id: 'other',
      team: 'T1',
      channelId: 'C-sales',
      instance: instance.id,
      kind: 'single',
      details: {},
      topics: [],
      expiresInMs: 900_000,
      chunks: [[{ phone: '442079460958', text: 'Hi' }]],
    });
    time.duringSleepOf(BETWEEN_READS_MS, async () => {
      if ((await ledger.find('other'))?.state !== 'draft') return;
      await ledger.decide('other', { to: 'running', by: 'U1' });
      const { id, accountId: account, keyFingerprint: rateLimitKey } = instance;
      await ledger.take({ instance: id, rateLimitKey, account, priority: 'interactive', token });
    });
    await seeker.look();
    expect(await evidence()).toBeUndefined();
    await ledger.settle({ send: 'other', index: 0 }, token, {
      to: 'rejected',
      request: 'answered',
      result: {},
    });
    time.advance(60_000);
    await seeker.look();
    expect((await evidence())?.verdict).toBe('probably_not_sent');
  });

  test('moves no books that nobody has compared with the balance since the start', async () => {
    const { seeker, evidence, pastDeadline, time, ledger, instance, areBooksCompared, world } = await start();
    pastDeadline();
    world.service.topUp(ACME, 5);
    areBooksCompared.yes = false;
    await seeker.look();
    expect(await evidence()).toBeUndefined();
    expect(await ledger.account(instance.accountId)).toMatchObject({ booked: 1000 });
    areBooksCompared.yes = true;
    time.advance(60_000);
    await seeker.look();
    expect(await evidence()).toMatchObject({ verdict: 'topped_up' });
  });

  test('asks with a key that works, if the account has one', async () => {
    const { seeker, pastDeadline, evidence, instances, instance, world } = await start();
    await addInstance({ instances }, ACME_KEY_TOO, 'Acme too');
    world.service.revokeKey(ACME_KEY);
    await instances.noteKeyHealth(instance, 'key_refused');
    pastDeadline();
    await seeker.look();
    expect((await evidence())?.verdict).toBe('probably_not_sent');
  });

  test.each(['gives no figure, though nobody refused it', 'can’t be opened'])(
    'asks with the next key if one %s',
    async (why) => {
      const { seeker, pastDeadline, evidence, instances, instance, blocked, records, time } = await start();
      const too = await addInstance({ instances }, ACME_KEY_TOO, 'Acme too');
      // The key that sent the text comes first.
      if (why === 'can’t be opened') {
        await records.instances.set(`T1/${instance.id}`, { ...instance, sealedKey: too.sealedKey });
      } else blocked.add(instances.keyOf(instance).reveal());
      pastDeadline();
      await seeker.look();
      expect(await evidence()).toBeUndefined();
      time.advance(60_000);
      await seeker.look();
      expect((await evidence())?.verdict).toBe('probably_not_sent');
    },
  );

  test('gives up if others spend from the account all the time', async () => {
    const { seeker, pastDeadline, evidence, world, time } = await start();
    pastDeadline(0);
    time.duringSleepOf(BETWEEN_READS_MS, () => world.service.topUp(ACME, -1));
    for (let minutes = 0; minutes < 2; minutes += 1) {
      await seeker.look();
      expect(await evidence()).toBeUndefined();
      time.advance(61_000);
    }
    await seeker.look();
    expect(await evidence()).toEqual({ verdict: 'none' });
  });

  test('ends if no key of the account is left', async () => {
    const { seeker, pastDeadline, evidence, reads, records, instance } = await start();
    await records.instances.delete(`T1/${instance.id}`);
    pastDeadline();
    await seeker.look();
    expect(await evidence()).toEqual({ verdict: 'none' });
    expect(reads()).toBe(0);
  });

  test('leaves the permits to people while the service does not answer', async () => {
    const { seeker, pastDeadline, evidence, reads, world, time } = await start();
    pastDeadline();
    world.service.addFault({ kind: 'server_error', endpoint: 'balance', times: 'always' });
    // For a minute, the bot looks every two seconds.
    for (let rounds = 0; rounds < 30; rounds += 1) {
      await seeker.look();
      time.advance(2000);
    }
    expect(reads()).toBeGreaterThan(3);
    expect(reads()).toBeLessThan(20);
    world.service.clearFaults();
    time.advance(60_000);
    await seeker.look();
    expect((await evidence())?.verdict).toBe('probably_not_sent');
  });

  test('waits no longer than that if the clock is set back meanwhile', async () => {
    const { seeker, pastDeadline, evidence, world, time, ledger } = await start();
    pastDeadline();
    world.service.addFault({ kind: 'server_error', endpoint: 'balance', times: 'always' });
    await seeker.look();
    world.service.clearFaults();
    time.advance(-3_600_000);
    await ledger.clampTimes();
    time.advance(world.limits.leaseMs + STILL_LEAVES_MS);
    await seeker.look();
    expect((await evidence())?.verdict).toBe('probably_not_sent');
  });

  test('is broken off when the bot stops', async () => {
    const { seeker, pastDeadline, time, evidence } = await start();
    pastDeadline();
    const stopping = new AbortController();
    time.duringSleepOf(BETWEEN_READS_MS, () => stopping.abort());
    await seeker.look(stopping.signal);
    expect(await evidence()).toBeUndefined();
  });
});

test('if texts were free before, a balance that stays proves nothing', async () => {
  const world = await createCoreWorld();
  const { core } = await runLinked(world);
  for (const credits of [0, 1]) {
    world.service.setSwitches({ price: { per: 'message', credits } });
    await ended(core, (await confirmed(core)).id);
  }
  // This text is free again, and arrives.
  world.service.setSwitches({ price: { per: 'message', credits: 0 } });
  world.service.addFault({ kind: 'reset', endpoint: 'send', when: 'after' });
  const { id } = await confirmed(core);
  await ended(core, id);
  expect(world.service.messages).toHaveLength(3);
  world.time.advance(world.limits.leaseMs + STILL_LEAVES_MS);
  await eventually(async () => expect((await viewOf(core, id)).evidence).toEqual({ verdict: 'none' }));
});

test('texts that cost a fraction of a credit are added up before the balance is compared', async () => {
  const world = await createCoreWorld();
  const { core, instance, records } = await runLinked(world);
  // The price comes from a list's receipt: three texts took one credit.
  const price = { credits: 1 / 3, inARow: 1, contradicted: false };
  await records.prices.set(instance.accountId, { bySegments: { '1': price } });
  const ids: string[] = [];
  for (const when of ['before', 'before', 'after'] as const) {
    world.service.addFault({ kind: 'reset', endpoint: 'send', when });
    const { id } = await confirmed(core);
    expect((await ended(core, id)).outcome).toBe('unknown');
    ids.push(id);
  }
  world.time.advance(world.limits.leaseMs);
  const found = { verdict: 'probably_sent', before: 1000, after: 999, messages: 3 };
  for (const id of ids) {
    await eventually(async () => expect((await viewOf(core, id)).evidence).toEqual(found));
  }
});

test('in a bot that runs, evidence reaches the receipt by itself, and a late truth outranks it', async () => {
  const world = await createCoreWorld();
  const { core, posted, ledger } = await runLinked(world);
  world.service.addFault({ kind: 'reset', endpoint: 'send', when: 'after' });
  const { id } = await confirmed(core);
  expect((await ended(core, id)).evidence).toBeUndefined();
  await eventually(() => expect(endsTold(posted, id)).toEqual(['unknown']));
  world.time.advance(world.limits.leaseMs);
  await eventually(async () => {
    expect((await viewOf(core, id)).evidence).toEqual({
      verdict: 'probably_sent',
      before: 1000,
      after: 999,
      messages: 1,
    });
  });
  await eventually(() => expect(endsTold(posted, id)).toEqual(['unknown', 'unknown']));

  const token = (await ledger.chunks(id))[0]?.token ?? '';
  await ledger.settle({ send: id, index: 0 }, token, {
    to: 'sent',
    request: 'answered',
    receipt: { creditsUsed: 1, creditsRemaining: 999 },
    result: { cause: 'accepted', creditsUsed: 1, creditsRemaining: 999 },
  });
  expect((await viewOf(core, id)).outcome).toBe('sent');
  await eventually(() => expect(endsTold(posted, id)).toEqual(['unknown', 'unknown', 'sent']));
  // The evidence saw the charge in this balance, so the bot does not subtract it again.
  const read = await core.credit.read((await core.instances.list('T1'))[0] as never, 'interactive');
  expect(read).toMatchObject({
    credits: 999,
    account: { credits: 999, booked: 999 },
  });
  expect(world.sendRequests()).toHaveLength(1);
});
