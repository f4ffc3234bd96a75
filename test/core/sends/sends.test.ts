import { describe, expect, test } from 'vitest';
import type { LinkSettings } from '../../../src/core/accounts/links.ts';
import type { Person } from '../../../src/core/accounts/permissions.ts';
import type { Confirmed } from '../../../src/core/sends/decision-answers.ts';
import type { SendView } from '../../../src/core/sends/send-view.ts';
import { draftMessage } from '../../../src/slack/ui/texts/draft.ts';
import { ApiKey } from '../../../src/sms/api-key.ts';
import { ADMIN, ANA, aNumber, aPerson, aRequest, BEN, TEXT } from '../../helpers/core-people.ts';
import { confirmed, drafted, ended, endsTold, eventually, viewOf } from '../../helpers/core-sends.ts';
import {
  ACME,
  ACME_KEY_TOO,
  addInstance,
  BIRCH_KEY,
  createCoreWorld,
  linkTo,
  runLinked,
} from '../../helpers/core-world.ts';

/** A running bot whose work takes no time. */
async function start(options: Parameters<typeof runLinked>[1] = {}, limits = {}) {
  const world = await createCoreWorld({ limits });
  return { world, ...(await runLinked(world, options)) };
}

describe('a draft', () => {
  test('shows number, text, segments, estimate and balance, and sends nothing', async () => {
    const { core, world } = await start();
    const drafted = await core.sends.draft(aRequest());
    expect(drafted).toMatchObject({
      kind: 'draft',
      view: {
        state: 'draft',
        e164: '+442079460958',
        text: TEXT,
        segments: { segments: 1 },
        details: { by: 'U-ana', country: 'GB', estimate: { credits: 1, basis: 'documented' }, balance: 1000 },
      },
    });
    expect(world.sendRequests()).toHaveLength(0);
  });

  test('is made without a balance if the service does not answer', async () => {
    const { core, world } = await start();
    world.time.advance(60_000);
    world.service.addFault({ kind: 'server_error', endpoint: 'balance', times: 'always' });
    const { details } = await drafted(core);
    expect(details.balance).toBeUndefined();
    expect(details.lastBalance).toEqual({ credits: 1000, at: expect.any(Number) });
  });

  test('is made, and may be sent, if the credits were short and the service cannot be asked now', async () => {
    const { core, world, instance, ledger } = await start();
    world.service.setCredits(ACME, 0);
    await core.credit.read(instance, 'interactive');
    world.service.topUp(ACME, 1);
    world.service.addFault({ kind: 'server_error', endpoint: 'balance', times: 'always' });
    const at = (await ledger.account(instance.accountId))?.asOf;
    const { id, details } = await drafted(core);
    expect(details).toMatchObject({ lastBalance: { credits: 0, at } });
    expect(details).not.toHaveProperty('balance');
    expect(await core.sends.confirm(id, ANA, null)).toMatchObject({ kind: 'running' });
    expect(await ended(core, id)).toMatchObject({ outcome: 'sent' });
  });

  test('costs no balance read while the last figure is fresh', async () => {
    const { core, world } = await start();
    const before = world.balanceRequests().length;
    for (let count = 0; count < 5; count += 1) await drafted(core);
    expect(world.balanceRequests()).toHaveLength(before);
  });

  test('estimates by the account’s own receipts as soon as there are some', async () => {
    const { core, world } = await start();
    world.service.setSwitches({ price: { per: 'segment', credits: 3 } });
    await ended(core, (await confirmed(core)).id);
    await eventually(async () => {
      expect((await drafted(core)).details.estimate).toEqual({ credits: 3, basis: 'receipts' });
    });
  });

  test('goes on after a receipt of more credits than the account had: that is no price', async () => {
    const world = await createCoreWorld();
    let lies = 1;
    const { core } = await runLinked(world, {
      prepare(booted) {
        const { send } = booted.sms;
        booted.sms = {
          ...booted.sms,
          async send(...args) {
            const outcome = await send(...args);
            if (outcome.outcome !== 'accepted' || lies-- < 1) return outcome;
            return { ...outcome, data: { ...outcome.data, credits_used: 1_000_000 } };
          },
        };
      },
    });
    await ended(core, (await confirmed(core)).id);
    world.time.advance(60_000);
    expect(await ended(core, (await confirmed(core)).id)).toMatchObject({ outcome: 'sent' });
    expect((await drafted(core)).details.estimate).toMatchObject({ credits: 1 });
  });

  test('learns no price from a charge of 0 under the service’s own status: lists would pass every budget for nothing', async () => {
    const { core, world, records, instance } = await start();
    world.service.setSwitches({ price: { per: 'message', credits: 0 }, status: 'failed' });
    await ended(core, (await confirmed(core)).id);
    world.service.setSwitches({ price: { per: 'message', credits: 3 }, status: 'sent' });
    await ended(core, (await confirmed(core, { text: 'Another text' })).id);
    await eventually(async () =>
      expect(await records.prices.get(instance.accountId)).toEqual({
        bySegments: { 1: { credits: 3, inARow: 1, contradicted: false } },
      }),
    );
  });

  test('says when it would take the balance below the threshold', async () => {
    const { core } = await start({ link: { threshold: 1000 } });
    const drafted = await core.sends.draft(aRequest());
    expect(drafted.kind === 'draft' && draftMessage(drafted).text).toContain('threshold of 1,000 credits');
  });

  test.each([
    { why: 'guest', person: aPerson({ isGuest: true }), link: {} },
    { why: 'outsider', person: aPerson({ isOutsider: true }), link: {} },
    { why: 'admins_only', person: ANA, link: { whoCanSend: 'admins' } },
    { why: 'not_chosen', person: ANA, link: { whoCanSend: 'chosen', people: ['U-ben'] } },
  ] as { why: string; person: Person; link: Partial<LinkSettings> }[])(
    'is refused to who may not send: $why',
    async ({ why, person, link }) => {
      const { core } = await start({ link });
      expect(await core.sends.draft(aRequest({ person }))).toMatchObject({ kind: 'refused', why });
    },
  );

  test('is refused if the channel is not linked, also in another workspace', async () => {
    const { core } = await start();
    expect(await core.sends.draft(aRequest({ channel: 'C-other' }))).toMatchObject({ kind: 'not_linked' });
    const stranger = aPerson({ team: 'T2' });
    expect(await core.sends.draft(aRequest({ person: stranger }))).toMatchObject({ kind: 'not_linked' });
  });

  test('is refused when the credits are known to be short', async () => {
    const { core, world, instance } = await start();
    world.service.setCredits(ACME, 0);
    await core.credit.read(instance, 'interactive');
    expect(await core.sends.draft(aRequest())).toEqual({ kind: 'credits_short', needed: 1, available: 0 });
    // A figure that says no is asked for again: somebody may have topped up a moment ago.
    world.service.topUp(ACME, 1);
    expect(await core.sends.draft(aRequest())).toMatchObject({
      kind: 'draft',
      view: { details: { balance: 1 } },
    });
  });

  test('of a long text costs the known price, and needs the most that it may cost', async () => {
    const { core, world, instance } = await start({ link: { threshold: 995 } });
    const text = 'x'.repeat(1000);
    await ended(core, (await confirmed(core)).id);
    const draft = await eventually(async () => {
      const made = await core.sends.draft(aRequest({ text }));
      if (made.kind !== 'draft' || made.view.details.estimate.basis !== 'receipts')
        throw new Error('not yet');
      return made;
    });
    expect(draft.view.details.estimate).toEqual({ least: 1, credits: 7, basis: 'receipts' });
    expect(draftMessage(draft).text).toContain('threshold of 995 credits');
    world.service.setCredits(ACME, 5);
    await core.credit.read(instance, 'interactive');
    const short = { kind: 'credits_short', needed: 7, least: 1, available: 5 };
    expect(await core.sends.draft(aRequest({ text }))).toEqual(short);
    expect(await core.sends.confirm(draft.view.id, ANA, null)).toEqual(short);
    expect(world.sendRequests()).toHaveLength(1);
  });

  test('is refused while the service refuses the key', async () => {
    const { core, instance, world } = await start();
    world.service.addFault({ kind: 'key_revoked', times: 2 });
    await core.credit.read(instance, 'interactive');
    expect(await core.sends.draft(aRequest())).toMatchObject({ kind: 'key_refused' });
    // The bot has asked again, and will: nobody waits for a poll once the key works.
    expect(await core.sends.draft(aRequest())).toMatchObject({ kind: 'draft' });
  });
});

describe('confirming', () => {
  test('a hundred clicks at once: one winner, one request', async () => {
    const { core, world } = await start();
    const { id } = await drafted(core);
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => core.sends.confirm(id, ANA, { url: 'click' })),
    );
    expect(answers.filter(({ kind }) => kind === 'running')).toHaveLength(1);
    const losers = answers.filter((answer) => answer.kind === 'too_late');
    expect(losers).toHaveLength(99);
    expect(losers[0]).toMatchObject({ view: { decidedBy: 'U-ana' } });
    expect((await ended(core, id)).outcome).toBe('sent');
    expect(world.sendRequests()).toHaveLength(1);
  });

  test('again, after it was sent: who sent it, and when', async () => {
    const { core, world } = await start();
    const { id } = await confirmed(core);
    const { decidedAt } = await ended(core, id);
    expect(await core.sends.confirm(id, ANA, null)).toMatchObject({
      kind: 'too_late',
      view: { outcome: 'sent', decidedBy: 'U-ana', decidedAt },
    });
    expect(world.sendRequests()).toHaveLength(1);
  });

  test.each([BEN, ADMIN])('is for the draft’s author alone, not for $id', async (person) => {
    const { core, world } = await start();
    const { id } = await drafted(core);
    expect(await core.sends.confirm(id, person, null)).toEqual({ kind: 'not_yours', owner: 'U-ana' });
    expect((await viewOf(core, id)).state).toBe('draft');
    expect(world.sendRequests()).toHaveLength(0);
  });

  test('from another workspace finds no such draft', async () => {
    const { core } = await start();
    const { id } = await drafted(core);
    expect(await core.sends.confirm(id, aPerson({ team: 'T2' }), null)).toEqual({ kind: 'missing' });
    expect(await core.sends.confirm('no-such-id', ANA, null)).toEqual({ kind: 'missing' });
    expect(await core.sends.withdraw(id, aPerson({ team: 'T2' }))).toEqual({ kind: 'missing' });
  });

  type Change = (rig: Awaited<ReturnType<typeof start>>, id: string) => unknown;
  const CHANGES: {
    after: string;
    change: Change;
    person?: Person;
    answer: Partial<Confirmed<SendView>> | object;
  }[] = [
    {
      after: 'the draft has expired',
      change: ({ world }) => world.time.advance(900_001),
      answer: { kind: 'too_late', view: { state: 'expired' } },
    },
    {
      after: 'it was cancelled',
      change: ({ core }, id) => core.sends.withdraw(id, ANA),
      answer: { kind: 'too_late', view: { state: 'cancelled' } },
    },
    {
      after: 'it was edited',
      change: ({ core }, id) => core.sends.supersede(id, ANA),
      answer: { kind: 'too_late', view: { state: 'superseded' } },
    },
    {
      after: 'the channel was unlinked',
      change: async ({ core }) => {
        const linked = await core.links.find('T1', 'C-sales');
        if (linked) await core.links.remove(linked.link, 'U-admin');
      },
      answer: { kind: 'too_late', view: { state: 'expired' } },
    },
    {
      after: 'only admins may send',
      change: ({ core, instance }) => linkTo(core, instance, { whoCanSend: 'admins' }),
      answer: { kind: 'refused', why: 'admins_only' },
    },
    {
      after: 'the person became a guest',
      change: () => {},
      person: aPerson({ isGuest: true }),
      answer: { kind: 'refused', why: 'guest' },
    },
    {
      after: 'the credits ran out',
      change: async ({ core, world, instance }) => {
        world.service.setCredits(ACME, 0);
        await core.credit.read(instance, 'interactive');
      },
      answer: { kind: 'credits_short', needed: 1, available: 0 },
    },
    {
      after: 'another instance took the channel, in the moment when the draft was made',
      change: async ({ core, records }) => {
        const other = await addInstance(core, ACME_KEY_TOO, 'Acme too');
        const linked = await core.links.find('T1', 'C-sales');
        if (linked) await records.links.set('T1/C-sales', { ...linked.link, instanceId: other.id });
      },
      answer: { kind: 'too_late', view: { state: 'expired' } },
    },
    {
      after: 'the instance got the key of another account',
      change: ({ core, instance }) =>
        core.instances.replaceKey(instance, ApiKey.from(BIRCH_KEY), { acceptOtherAccount: true }),
      answer: { kind: 'too_late', view: { state: 'expired' } },
    },
    {
      after: 'the link was taken away, in the moment when the draft was made',
      change: ({ records }) => records.links.delete('T1/C-sales'),
      answer: { kind: 'not_linked', channel: 'C-sales' },
    },
  ];

  test.each(CHANGES)('after $after: refused, and nothing is sent', async ({ change, person, answer }) => {
    const rig = await start();
    const { id } = await drafted(rig.core);
    await change(rig, id);
    expect(await rig.core.sends.confirm(id, person ?? ANA, null)).toMatchObject(answer);
    await rig.stop();
    expect(rig.world.sendRequests()).toHaveLength(0);
  });

  test('of an account that pays no more expires, and no other draft of its channel with it', async () => {
    const { core, instance } = await start();
    const old = await drafted(core);
    const older = await drafted(core, { person: BEN });
    await core.instances.replaceKey(instance, ApiKey.from(BIRCH_KEY), { acceptOtherAccount: true });
    const recent = await drafted(core, { person: BEN });
    expect(await core.sends.confirm(old.id, ANA, null)).toMatchObject({
      kind: 'too_late',
      view: { state: 'expired' },
    });
    expect((await viewOf(core, older.id)).state).toBe('expired');
    expect(await core.sends.confirm(recent.id, BEN, null)).toMatchObject({ kind: 'running' });
  });

  test('with an old figure lets the service decide: its 402 has the needed and the available credits', async () => {
    const { core, world } = await start();
    const { id } = await drafted(core);
    world.service.setCredits(ACME, 0);
    world.time.advance(31_000);
    expect((await core.sends.confirm(id, ANA, null)).kind).toBe('running');
    expect(await ended(core, id)).toMatchObject({
      outcome: 'rejected',
      result: { cause: 'credits', requiredCredits: 1, availableCredits: 0 },
    });
  });

  test('remembers how to reach the person by the click, not by the command', async () => {
    const { core } = await start();
    expect((await drafted(core)).details.reply).toEqual({ url: 'first' });
    expect((await confirmed(core)).details.reply).toEqual({ url: 'second' });
  });

  test('makes the receipt due, and the channel’s line only if the link wants one', async () => {
    for (const receiptLine of [true, false]) {
      const { core, posted } = await start({ link: { receiptLine } });
      const { id } = await confirmed(core);
      await ended(core, id);
      const rows = receiptLine ? [`line:${id}`, `receipt:${id}`] : [`receipt:${id}`];
      await eventually(() => expect(endsTold(posted, id)).toEqual(['sent']));
      expect([...new Set(posted.map((row) => row.id))].sort()).toEqual(rows);
    }
  });
});

describe('withdrawing', () => {
  test('is for the draft’s author, once, and not after Send', async () => {
    const { core, world } = await start();
    const { id } = await drafted(core);
    expect(await core.sends.withdraw(id, BEN)).toEqual({ kind: 'missing' });
    expect(await core.sends.withdraw(id, ANA)).toMatchObject({ kind: 'withdrawn' });
    expect(await core.sends.withdraw(id, ANA)).toMatchObject({ kind: 'too_late' });
    const sent = await confirmed(core);
    expect((await core.sends.withdraw(sent.id, ANA)).kind).toBe('too_late');
    await ended(core, sent.id);
    expect(world.sendRequests()).toHaveLength(1);
  });

  test('and confirming at the same moment: one of them wins', async () => {
    const { core, world } = await start();
    let sent = 0;
    for (let count = 0; count < 20; count += 1) {
      const { id } = await drafted(core);
      const [withdrawn, confirmed] = await Promise.all([
        core.sends.withdraw(id, ANA),
        core.sends.confirm(id, ANA, null),
      ]);
      expect([withdrawn.kind === 'withdrawn', confirmed.kind === 'running'].filter(Boolean)).toHaveLength(1);
      if (confirmed.kind === 'running') {
        sent += 1;
        await ended(core, id);
      }
    }
    expect(world.sendRequests()).toHaveLength(sent);
  });
});

describe('sending an unknown text again', () => {
  async function startUnknown() {
    const rig = await start();
    rig.world.service.addFault({ kind: 'reset', endpoint: 'send', when: 'before' });
    const { id } = await confirmed(rig.core);
    expect((await ended(rig.core, id)).outcome).toBe('unknown');
    return { ...rig, id, resends: { send: id, indexes: [0] } };
  }

  test('is refused before the deadline, and allowed after it', async () => {
    const { core, world, id, resends } = await startUnknown();
    const again = await drafted(core, { resends });
    expect(await core.sends.confirm(again.id, ANA, null)).toMatchObject({
      kind: 'resend_refused',
      why: 'too_early',
    });
    expect(world.sendRequests()).toHaveLength(1);
    world.time.advance(world.limits.leaseMs);
    expect((await core.sends.confirm(again.id, ANA, null)).kind).toBe('running');
    expect(await ended(core, again.id)).toMatchObject({ outcome: 'sent', resends });
    expect(await viewOf(core, id)).toMatchObject({ outcome: 'unknown', resentAs: again.id });
    expect(world.sendRequests()).toHaveLength(2);
  });

  test('happens once, however many drafts are confirmed', async () => {
    const { core, world, resends } = await startUnknown();
    world.time.advance(world.limits.leaseMs);
    const drafts = [];
    for (let count = 0; count < 10; count += 1) drafts.push(await drafted(core, { resends }));
    const answers = await Promise.all(drafts.map(({ id }) => core.sends.confirm(id, ANA, null)));
    const winners = answers.filter((answer) => answer.kind === 'running');
    expect(winners).toHaveLength(1);
    const refused = answers.flatMap((answer) => (answer.kind === 'resend_refused' ? [answer.why] : []));
    expect(refused).toEqual(Array(9).fill('resent_already'));
    if (winners[0]?.kind === 'running') await ended(core, winners[0].view.id);
    expect(world.sendRequests()).toHaveLength(2);
  });

  test('is refused when the truth has come in meanwhile', async () => {
    const { core, world, ledger, id, resends } = await startUnknown();
    world.time.advance(world.limits.leaseMs);
    const again = await drafted(core, { resends });
    await ledger.settle({ send: id, index: 0 }, (await ledger.chunks(id))[0]?.token ?? '', {
      to: 'not_sent',
      request: 'never_started',
      result: { cause: 'unreachable' },
    });
    expect(await core.sends.confirm(again.id, ANA, null)).toMatchObject({
      kind: 'resend_refused',
      why: 'not_unknown',
    });
    expect(world.sendRequests()).toHaveLength(1);
  });

  test('is in the list of unknown sends of its channel', async () => {
    const { core, id } = await startUnknown();
    const unknown = await core.homes.unknown('T1', 0, 'C-sales');
    expect(unknown).toMatchObject({ singles: 1, inJobs: 0, newest: [{ id }] });
    for (const [team, channel] of [
      ['T2', 'C-sales'],
      ['T1', 'C-other'],
    ] as const)
      expect(await core.homes.unknown(team, 0, channel)).toMatchObject({ singles: 0, inJobs: 0, newest: [] });
  });
});

describe('a person’s word that an unknown text arrived', () => {
  async function startUnknown() {
    const rig = await start();
    rig.world.service.addFault({ kind: 'reset', endpoint: 'send', when: 'after' });
    const { id } = await confirmed(rig.core);
    expect((await ended(rig.core, id)).outcome).toBe('unknown');
    return { ...rig, id };
  }

  test('is accepted from anybody who may send from the channel, once, and shown with the receipt', async () => {
    const { core, id, posted } = await startUnknown();
    const told = posted.length;
    expect(await core.sends.saySent(id, BEN)).toMatchObject({
      kind: 'decided',
      view: { outcome: 'unknown', saidSentBy: BEN.id },
    });
    expect(await core.sends.saySent(id, ANA)).toMatchObject({ kind: 'too_late', why: 'said_sent' });
    await eventually(() => {
      const topics = posted.slice(told).map(({ topic }) => topic);
      expect(topics).toEqual(expect.arrayContaining(['receipt', 'line']));
    });
    expect(await core.homes.unknown('T1', 0, 'C-sales')).toMatchObject({ singles: 0 });
  });

  test('is not accepted from others, or for a text that is not unknown', async () => {
    const { core, id } = await startUnknown();
    const guest = aPerson({ id: 'U-guest', isGuest: true });
    expect(await core.sends.saySent(id, guest)).toMatchObject({ kind: 'refused', why: 'guest' });
    expect(await core.sends.saySent('nothing', ANA)).toEqual({ kind: 'missing' });
    const { id: draft } = await drafted(core);
    expect(await core.sends.saySent(draft, ANA)).toMatchObject({ kind: 'too_late', why: 'not_unknown' });
    expect((await viewOf(core, id)).saidSentBy).toBeUndefined();
  });

  test('books no credits and teaches no price; the service’s answer that comes after it counts', async () => {
    const { core, ledger, records, instance, id } = await startUnknown();
    await core.sends.saySent(id, ANA);
    expect(await records.prices.get(instance.accountId)).toBeUndefined();
    expect(await ledger.spentSince('T1', 'C-sales', 0)).toEqual({ credits: 0, messages: 0 });
    const [chunk] = await ledger.chunks(id);
    await ledger.settle({ send: id, index: 0 }, chunk?.token ?? '', {
      to: 'rejected',
      request: 'answered',
      result: { cause: 'refused' },
    });
    expect(await viewOf(core, id)).toMatchObject({ outcome: 'rejected', saidSentBy: ANA.id });
  });

  test('a text that somebody leaves needs no decision any more; people may still call it arrived', async () => {
    const { core, id, posted } = await startUnknown();
    const told = posted.length;
    const guest = aPerson({ id: 'U-guest', isGuest: true });
    expect(await core.sends.leaveUnknown(id, guest)).toMatchObject({ kind: 'refused', why: 'guest' });
    expect(await core.homes.unknown('T1', 0, 'C-sales')).toMatchObject({ singles: 1 });
    expect(await core.sends.leaveUnknown(id, BEN)).toMatchObject({ kind: 'decided' });
    expect(await core.homes.unknown('T1', 0, 'C-sales')).toMatchObject({ singles: 0 });
    expect(await core.sends.leaveUnknown(id, ANA)).toMatchObject({ kind: 'decided' });
    expect(posted).toHaveLength(told);
    expect(await core.sends.saySent(id, ANA)).toMatchObject({ kind: 'decided' });
    expect(await core.sends.leaveUnknown(id, ANA)).toMatchObject({ kind: 'too_late', why: 'said_sent' });
  });

  test('counts without a link, too: of who sent the text, and of admins', async () => {
    const { core, id } = await startUnknown();
    const linked = await core.links.find('T1', 'C-sales');
    expect(linked && (await core.links.remove(linked.link, ADMIN.id))).toMatchObject({ kind: 'removed' });
    expect(await core.sends.saySent(id, BEN)).toMatchObject({ kind: 'not_linked' });
    expect(await core.sends.leaveUnknown(id, ADMIN)).toMatchObject({ kind: 'decided' });
    expect(await core.homes.unknown('T1', 0)).toMatchObject({ singles: 0 });
    expect(await core.sends.saySent(id, ANA)).toMatchObject({ kind: 'decided' });
  });

  test('keeps the text from being sent again', async () => {
    const { core, world, id } = await startUnknown();
    world.time.advance(world.limits.leaseMs);
    const again = await drafted(core, { resends: { send: id, indexes: [0] } });
    await core.sends.saySent(id, BEN);
    expect(await core.sends.confirm(again.id, ANA, null)).toMatchObject({
      kind: 'resend_refused',
      why: 'said_sent',
    });
    expect(world.sendRequests()).toHaveLength(1);
  });
});

test('a number that was read with a remark keeps the remark', async () => {
  const { core } = await start();
  const number = { ...aNumber(), added: true as const, noKnownRange: true as const };
  expect((await drafted(core, { number })).details).toMatchObject({ added: true, noKnownRange: true });
});
