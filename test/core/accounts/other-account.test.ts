import { describe, expect, test, vi } from 'vitest';
import { NO_LIMITS } from '../../../src/core/accounts/channel-limits.ts';
import type { KeyNotice } from '../../../src/core/accounts/key-health.ts';
import { dayOf } from '../../../src/ledger/model/days.ts';
import { ApiKey } from '../../../src/sms/api-key.ts';
import { draftedJob, jobIn, startedJob } from '../../helpers/core-jobs.ts';
import { ANA, aRequest } from '../../helpers/core-people.ts';
import { confirmed, drafted, ended, eventually, viewOf } from '../../helpers/core-sends.ts';
import {
  ACME,
  ACME_KEY,
  ACME_KEY_TOO,
  addInstance,
  createCoreWorld,
  linkTo,
  runLinked,
  saveLimits,
} from '../../helpers/core-world.ts';

const BIRCH = 2;
const SMALL = { bulk: { chunkSize: 2, minRecipients: 2 } };

/** A bot whose key belongs to Acme, and at the service can change to Birch. */
async function start(options: Parameters<typeof runLinked>[1] = {}) {
  const world = await createCoreWorld();
  world.service.setCredits(BIRCH, 500);
  const bot = await runLinked(world, options);
  const { core, instance, posted } = bot;
  async function now() {
    const found = await core.instances.get('T1', instance.id);
    return found ?? expect.fail('the instance is gone');
  }
  return {
    ...bot,
    world,
    now,
    move: (to: number) => world.service.moveKey(ACME_KEY, to),
    /** Reads the balance as a poll does. */
    read: async () => (await core.credit.readFresh(await now(), 'background')).kind,
    /** Who paid for the texts that were sent. */
    payers: () => world.service.messages.map(({ user_id }) => user_id),
    news: () =>
      posted
        .filter(({ topic }) => topic === 'key_health')
        .map(({ details }) => details as KeyNotice)
        .map(({ to, works, otherAccount }) => [
          'channel' in to ? to.channel : to.user,
          works ? 'works' : otherAccount ? 'other account' : 'refused',
        ]),
    /** An admin replaces the key by itself, and accepts the account that it has now. */
    async accept(): Promise<void> {
      const key = ApiKey.from(ACME_KEY);
      const asked = await core.instances.replaceKey(instance, key, { acceptOtherAccount: false });
      if (asked.kind !== 'other_account') throw new Error(asked.kind);
      const acceptOtherAccount = asked.change;
      const taken = await core.instances.replaceKey(instance, key, { acceptOtherAccount });
      if (taken.kind !== 'saved') throw new Error(taken.kind);
      await core.credit.read(taken.instance, 'interactive');
    },
  };
}

describe('a key whose account changes at the provider', () => {
  test('books nothing of the other account; people hear of it once, and once when it is over', async () => {
    const { core, move, read, news, now, ledger } = await start();
    const { accountId } = await now();
    move(BIRCH);
    for (const _ of [1, 2, 3]) expect(await read()).toBe('other_account');
    expect(await ledger.account(accountId)).toMatchObject({ credits: 1000 });
    const told = [
      ['C-sales', 'other account'],
      ['U-admin', 'other account'],
    ];
    await eventually(() => expect(news().sort()).toEqual(told));
    move(ACME);
    expect(await read()).toBe('ok');
    await eventually(() =>
      expect(news().sort()).toEqual([...told, ['C-sales', 'works'], ['U-admin', 'works']].sort()),
    );
    expect((await ended(core, (await confirmed(core)).id)).outcome).toBe('sent');
  });

  test('pays for what goes out before a read: the receipt counts, until the old account’s balance corrects it', async () => {
    const { core, move, read, ledger, now } = await start();
    const { accountId } = await now();
    const credits = async () => (await ledger.account(accountId))?.credits;
    move(BIRCH);
    expect((await ended(core, (await confirmed(core)).id)).outcome).toBe('sent');
    expect(await credits()).toBe(499);
    await read();
    move(ACME);
    expect(await read()).toBe('ok');
    expect(await credits()).toBe(1000);
    const today = dayOf(ledger.now());
    const books = await ledger.accountBooks(accountId, { from: today - 1, to: today });
    const differences = books?.days.flatMap((day) => day.differences);
    expect(differences).toMatchObject([{ kind: 'topped_up', credits: 1 }]);
    expect(books?.closing).toBe(1000);
  });

  test('lets nobody draft, send or ask for approval; an earlier draft goes out once it is over', async () => {
    const { core, move, read, payers, instance } = await start();
    const draft = await drafted(core);
    const list = await draftedJob(core);
    move(BIRCH);
    await read();
    const refused = { kind: 'other_account', instanceName: 'Acme', instanceId: instance.id };
    expect(await core.sends.draft(aRequest())).toEqual(refused);
    expect(await core.sends.confirm(draft.id, ANA, {})).toEqual(refused);
    expect(await core.jobs.confirm(list.id, ANA, {})).toEqual(refused);
    expect(await core.sends.requests.ask(draft.id, ANA, {})).toEqual(refused);
    expect(payers()).toEqual([]);
    move(ACME);
    expect(await core.sends.confirm(draft.id, ANA, {})).toMatchObject({ kind: 'running' });
    await ended(core, draft.id);
    expect(payers()).toEqual([ACME]);
  });

  test('stays stopped while the service does not answer', async () => {
    const { core, move, read, world } = await start();
    const draft = await drafted(core);
    move(BIRCH);
    await read();
    world.service.addFault({ kind: 'server_error', endpoint: 'balance', times: 'always' });
    expect(await core.sends.confirm(draft.id, ANA, {})).toMatchObject({ kind: 'other_account' });
  });

  test('stays stopped, too, if the service refuses the key for a while and then gives no balance', async () => {
    const { core, move, read, payers, world } = await start();
    const draft = await drafted(core);
    move(BIRCH);
    await read();
    world.service.addFault({ kind: 'key_revoked', endpoint: 'balance' });
    expect(await read()).toBe('key_refused');
    world.service.addFault({ kind: 'server_error', endpoint: 'balance', times: 'always' });
    expect(await core.sends.confirm(draft.id, ANA, {})).toMatchObject({ kind: 'other_account' });
    expect(payers()).toEqual([]);
  });

  test('sends no text that was waiting for its undo time', async () => {
    const { core, move, read, payers, world } = await start();
    const linked = (await core.links.find('T1', 'C-sales')) ?? expect.fail('no link');
    await saveLimits(core, linked.link, { ...NO_LIMITS, undoSeconds: 10 });
    const { id } = await confirmed(core);
    move(BIRCH);
    await read();
    world.time.advance(10_000);
    expect(await ended(core, id)).toMatchObject({ outcome: 'not_sent', result: { cause: 'other_account' } });
    expect(payers()).toEqual([]);
  });

  test('pauses a list; Resume waits for the old account, and then the old account pays for the rest', async () => {
    const { core, move, read, payers, world } = await start(SMALL);
    world.service.addFault({ kind: 'delay', endpoint: 'bulk', ms: 300, when: 'before', times: 'always' });
    const { id } = await startedJob(core, { count: 60 });
    await eventually(() => expect(payers().length).toBeGreaterThan(0));
    move(BIRCH);
    expect(await read()).toBe('other_account');
    const paused = await jobIn(core, id, 'paused');
    expect(paused.pause).toEqual({ why: 'key_refused', otherAccount: true });
    expect(paused.counts.left).toBeGreaterThan(0);
    await eventually(async () => expect((await core.jobs.view(id))?.counts.inFlight).toBe(0));
    const before = payers().length;
    expect(await core.jobs.resume(id, ANA)).toMatchObject({ kind: 'other_account' });
    expect(payers()).toHaveLength(before);
    move(ACME);
    expect(await core.jobs.resume(id, ANA)).toMatchObject({ kind: 'done' });
    expect((await jobIn(core, id, 'finished')).counts.left).toBe(0);
    expect(new Set(payers().slice(before))).toEqual(new Set([ACME]));
  });

  test('pauses a list for that, though the list only seems to be short of credits', async () => {
    const { core, move, payers, world } = await start(SMALL);
    world.service.setCredits(BIRCH, 30);
    move(BIRCH);
    const { id } = await startedJob(core, { count: 60 });
    expect((await jobIn(core, id, 'paused')).pause).toEqual({ why: 'key_refused', otherAccount: true });
    expect(payers().length).toBeLessThanOrEqual(30);
  });

  test('a text that was on its way ends nothing, though the service accepts it', async () => {
    const { core, move, read, now, world } = await start();
    world.service.addFault({ kind: 'delay', endpoint: 'send', ms: 200, when: 'before' });
    const { id } = await confirmed(core);
    await eventually(() => expect(world.sendRequests()).toHaveLength(1));
    move(BIRCH);
    await read();
    expect((await ended(core, id)).outcome).toBe('sent');
    expect(await core.sends.draft(aRequest())).toMatchObject({ kind: 'other_account' });
    expect(await now()).toMatchObject({ otherAccount: true });
  });

  test('is accepted with the same key: then the other account pays, and a list asks first', async () => {
    const { core, move, read, payers, news, accept, world } = await start(SMALL);
    const linked = (await core.links.find('T1', 'C-sales')) ?? expect.fail('no link');
    await saveLimits(core, linked.link, { ...NO_LIMITS, listUndoSeconds: 10 });
    const { id } = await startedJob(core, { count: 4 });
    move(BIRCH);
    await read();
    world.time.advance(10_000);
    expect((await jobIn(core, id, 'paused')).pause).toMatchObject({ otherAccount: true });
    await accept();
    await eventually(() => expect(news().filter(([, what]) => what === 'works')).toHaveLength(2));
    await ended(core, (await confirmed(core)).id);
    expect(payers()).toEqual([BIRCH]);
    expect(await core.jobs.resume(id, ANA)).toMatchObject({ kind: 'done' });
    const asks = { why: 'other_account', now: 'Birch & Co' };
    expect((await jobIn(core, id, 'paused')).pause).toMatchObject(asks);
    expect(await core.jobs.resume(id, ANA)).toMatchObject({ kind: 'done' });
    await jobIn(core, id, 'finished');
    expect(payers()).toEqual([BIRCH, BIRCH, BIRCH, BIRCH, BIRCH]);
  });

  test('an answer that was on its way when an admin accepted the account says nothing', async () => {
    const { core, move, read, now, accept, instance } = await start();
    move(BIRCH);
    await read();
    await accept();
    expect((await core.credit.readFresh(instance, 'background')).kind).toBe('other_account');
    expect(await now()).not.toHaveProperty('keyRefusedAt');
  });

  test('is noticed by a poll, though the account has another key that still works', async () => {
    const { core, world, news } = await start({ balancePollMs: 1000 });
    const other = await addInstance(core, ACME_KEY_TOO, 'Acme too');
    await linkTo(core, other, {}, 'C-support');
    world.service.moveKey(ACME_KEY_TOO, BIRCH);
    await eventually(() => expect(news()).toContainEqual(['C-support', 'other account']));
    expect(news()).not.toContainEqual(['C-sales', 'other account']);
  });

  test('works again only by a read with the key itself', async () => {
    const { core, move, read, now, ledger } = await start();
    const other = await addInstance(core, ACME_KEY_TOO, 'Acme too');
    move(BIRCH);
    await read();
    const [others, own] = await Promise.all([
      core.credit.read(other, 'interactive'),
      core.credit.read(await now(), 'interactive'),
    ]);
    expect([others.kind, own.kind]).toEqual(['ok', 'other_account']);
    expect(await ledger.account(other.accountId)).toMatchObject({ credits: 1000 });
  });

  test('shows its account by its own read, whoever else reads the balance meanwhile', async () => {
    const { core, move, now } = await start();
    const other = await addInstance(core, ACME_KEY_TOO, 'Acme too');
    const own = await now();
    move(BIRCH);
    const reads = await Promise.all([
      core.credit.read(other, 'background'),
      core.credit.readFresh(other, 'background'),
      core.credit.readFresh(own, 'background'),
    ]);
    expect(reads.map(({ kind }) => kind)).toEqual(['ok', 'ok', 'other_account']);
  });

  test('works again for all who asked at the same moment: the mark is gone before they go on', async () => {
    const { core, move, read, now } = await start();
    move(BIRCH);
    await read();
    move(ACME);
    const marked = await now();
    const first = core.credit.read(marked, 'background');
    expect(await core.credit.keyUnusable(marked)).toBeUndefined();
    expect(await now()).not.toHaveProperty('otherAccount');
    await first;
  });

  test('works again in another workspace, too, though both ask at the same moment', async () => {
    const { core, move, read, now, records } = await start();
    await records.workspaces.set('T2', { team: 'T2', name: 'T2', botUserId: 'U-bot', firstSeenAt: 1 });
    const added = await core.instances.add({
      team: 'T2',
      name: 'Acme',
      key: ApiKey.from(ACME_KEY),
      by: 'U-admin',
    });
    const other = 'instance' in added ? added.instance : expect.fail(added.kind);
    move(BIRCH);
    await read();
    await core.credit.readFresh(other, 'background');
    const marked = (await core.instances.get('T2', other.id)) ?? expect.fail('it is gone');
    expect(marked).toHaveProperty('otherAccount');
    move(ACME);
    const first = core.credit.read(await now(), 'interactive');
    expect(await core.credit.keyUnusable(marked)).toBeUndefined();
    expect(await core.instances.get('T2', other.id)).not.toHaveProperty('otherAccount');
    await first;
  });

  test('becomes a refused key, and the other way round: each is news', async () => {
    const { move, read, news, world } = await start();
    move(BIRCH);
    await read();
    await eventually(() => expect(news()).toHaveLength(2));
    world.service.addFault({ kind: 'key_revoked', endpoint: 'balance' });
    expect(await read()).toBe('key_refused');
    await eventually(() =>
      expect(
        news()
          .slice(2)
          .map(([, what]) => what),
      ).toEqual(['refused', 'refused']),
    );
    await read();
    await eventually(() => expect(news()).toHaveLength(6));
  });
});

describe('evidence on a text that was lost while the account changed', () => {
  async function lost(options: Parameters<typeof runLinked>[1] = {}) {
    const bot = await start(options);
    bot.move(BIRCH);
    bot.world.service.addFault({ kind: 'reset', endpoint: 'send', when: 'after' });
    const { id } = await confirmed(bot.core);
    expect((await ended(bot.core, id)).outcome).toBe('unknown');
    expect(bot.payers()).toEqual([BIRCH]);
    const evidence = () =>
      eventually(async () => {
        bot.world.time.advance(1000);
        return (await viewOf(bot.core, id)).evidence ?? expect.fail('there is no evidence yet');
      });
    return { ...bot, evidence };
  }

  test('says that the balance can’t tell', async () => {
    const { evidence } = await lost();
    expect(await evidence()).toEqual({ verdict: 'none' });
  });

  test('says so too if another key still reads the old account', async () => {
    const bot = await lost();
    await addInstance(bot.core, ACME_KEY_TOO, 'A first one');
    expect(await bot.evidence()).toEqual({ verdict: 'none' });
  });

  test('says so too if the text’s own key gives no figure at first, and another key does', async () => {
    const bot = await lost();
    await addInstance(bot.core, ACME_KEY_TOO, 'A first one');
    // One look with the key that sent the text, with its repeats.
    bot.world.service.addFault({ kind: 'server_error', endpoint: 'balance', times: 4 });
    expect(await bot.evidence()).toEqual({ verdict: 'none' });
  });

  test('says so too if the text’s own key rests for long, and another key does not', async () => {
    const bot = await lost();
    await addInstance(bot.core, ACME_KEY_TOO, 'A first one');
    const { keyFingerprint } = bot.instance;
    await bot.ledger.permit(keyFingerprint, 'interactive', 'others');
    await bot.ledger.returnPermit(keyFingerprint, 'others', { restMs: 240_000 });
    expect(await bot.evidence()).toEqual({ verdict: 'none' });
  });

  test('says so too if another key reads the old account at the same moments', async () => {
    const bot = await lost();
    const other = await addInstance(bot.core, ACME_KEY_TOO, 'Acme too');
    const { credit } = bot.core;
    const { read, readFresh } = credit;
    vi.spyOn(credit, 'readFresh').mockImplementation((...asked) => {
      void read(other, 'background');
      void readFresh(other, 'background');
      return readFresh(...asked);
    });
    expect(await bot.evidence()).toEqual({ verdict: 'none' });
  });

  test('says so too once an admin has accepted the other account', async () => {
    const bot = await lost();
    await addInstance(bot.core, ACME_KEY_TOO, 'Acme too');
    await bot.accept();
    expect(await bot.evidence()).toEqual({ verdict: 'none' });
  });
});
