import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { statesOfInstance } from '../../../src/core/state-names.ts';
import { ApiKey } from '../../../src/sms/api-key.ts';
import { createGate } from '../../helpers/core-ledger.ts';
import { ADMIN } from '../../helpers/core-people.ts';
import {
  ACME_KEY,
  ACME_KEY_TOO,
  addInstance,
  BASE_URL,
  BIRCH_KEY,
  boot,
  createBooks,
  createCoreWorld,
  linkTo,
  meet,
} from '../../helpers/core-world.ts';

async function start(limits: Parameters<typeof createCoreWorld>[0] = {}) {
  const world = await createCoreWorld(limits);
  const booted = await boot(world);
  return { ...booted, world, ...createBooks(booted) };
}

const adding = (key: string, over: { team?: string; name?: string } = {}) => ({
  team: 'T1',
  name: 'Acme',
  by: ADMIN.id,
  key: ApiKey.from(key),
  ...over,
});

describe('adding a key', () => {
  test('tests it, then saves it sealed, with the service’s name of its account', async () => {
    const { instances, world, records } = await start();
    const added = await instances.add(adding(ACME_KEY));
    expect(added).toMatchObject({
      kind: 'saved',
      credits: 1000,
      instance: {
        name: 'Acme',
        keyHint: '…aaaa',
        accountId: `${BASE_URL}#1`,
        userName: 'Acme Ltd',
        addedBy: ADMIN.id,
      },
    });
    expect(world.balanceRequests()).toHaveLength(1);
    const [instance] = await instances.list('T1');
    if (!instance) throw new Error('nothing was saved');
    expect(instances.keyOf(instance).reveal()).toBe(ACME_KEY);
    expect(await records.instances.list('T2')).toEqual([]);
    for (const file of readdirSync(world.folder)) {
      expect(readFileSync(join(world.folder, file)).includes(ACME_KEY)).toBe(false);
    }
  });

  test('without a name takes the name of its account', async () => {
    const { instances } = await start();
    const added = await instances.add(adding(ACME_KEY, { name: '' }));
    expect(added).toMatchObject({ kind: 'saved', instance: { name: 'Acme Ltd' } });
  });

  test('that the workspace has already points to its instance', async () => {
    const { instances } = await start();
    const first = await addInstance({ instances });
    const again = await instances.add(adding(ACME_KEY, { name: 'Another name' }));
    expect(again).toMatchObject({ kind: 'known', instance: { id: first.id, name: 'Acme' } });
    expect(await instances.list('T1')).toHaveLength(1);
  });

  test('pasted twice at once is saved once', async () => {
    const { sms, ...rest } = await start();
    const together = createGate();
    let asked = 0;
    const { instances } = createBooks({
      ...rest,
      sms: {
        ...sms,
        // The two requests that test the key end at the same moment.
        async balance(...args) {
          const answer = await sms.balance(...args);
          asked += 1;
          if (asked === 2) together.open();
          await together.pass();
          return answer;
        },
      },
    });
    const both = await Promise.all([instances.add(adding(ACME_KEY)), instances.add(adding(ACME_KEY))]);
    expect(both.map(({ kind }) => kind).sort()).toEqual(['known', 'saved']);
    expect(await instances.list('T1')).toHaveLength(1);
  });

  test('that is added again at once after its instance was removed is a new instance', async () => {
    const { instances } = await start();
    const first = await addInstance({ instances });
    expect(await instances.remove(first)).toEqual({ kind: 'removed' });
    expect((await addInstance({ instances })).id).not.toBe(first.id);
  });

  test('that another workspace has is an instance of its own, under the same permits', async () => {
    const { instances, records } = await start();
    const first = await addInstance({ instances });
    await meet(records, 'T2');
    const other = await instances.add(adding(ACME_KEY, { team: 'T2' }));
    expect(other).toMatchObject({ kind: 'saved', instance: { keyFingerprint: first.keyFingerprint } });
    expect(await instances.list('T1')).toHaveLength(1);
    expect(await instances.list('T2')).toHaveLength(1);
  });

  test('that the service refuses saves nothing', async () => {
    const { instances } = await start();
    expect(await instances.add(adding('no-such-key'))).toEqual({ kind: 'key_refused' });
    expect(await instances.list('T1')).toEqual([]);
  });

  test('survives a blip of the service, since the test is safe to repeat', async () => {
    const { instances, world } = await start();
    world.service.addFault({ kind: 'server_error', endpoint: 'balance' });
    expect((await instances.add(adding(ACME_KEY))).kind).toBe('saved');
    expect(world.balanceRequests()).toHaveLength(2);
  });

  test('while the service is down saves nothing', async () => {
    const { instances, world } = await start();
    world.service.addFault({ kind: 'bad_gateway', endpoint: 'balance', times: 'always' });
    expect(await instances.add(adding(ACME_KEY))).toEqual({ kind: 'unavailable' });
    expect(await instances.list('T1')).toEqual([]);
  });

  test('while the service takes no more requests says for how long', async () => {
    const { instances, world } = await start();
    world.service.setSwitches({ retryAfter: true, rateWindowMs: 7000 });
    world.service.addFault({ kind: 'rate_limited', endpoint: 'balance' });
    expect(await instances.add(adding(ACME_KEY))).toEqual({ kind: 'busy', seconds: 7 });
  });

  test('without a permit asks nothing', async () => {
    const { instances, world } = await start({ limits: { permits: 1 } });
    await addInstance({ instances });
    expect((await instances.add(adding(ACME_KEY))).kind).toBe('busy');
    expect(world.balanceRequests()).toHaveLength(1);
  });
});

describe('replacing a key', () => {
  test('of the same account keeps instance and links', async () => {
    const { instances, links } = await start();
    const before = await addInstance({ instances });
    await linkTo({ links }, before);
    const replaced = await instances.replaceKey(before, ApiKey.from(ACME_KEY_TOO), {
      acceptOtherAccount: false,
    });
    expect(replaced).toMatchObject({ kind: 'saved', instance: { id: before.id, keyHint: '…bbbb' } });
    const linked = await links.find('T1', 'C-sales');
    expect(linked && instances.keyOf(linked.instance).reveal()).toBe(ACME_KEY_TOO);
  });

  test('ends the old key’s refusal', async () => {
    const { instances, world } = await start();
    const before = await addInstance({ instances });
    await instances.noteKeyHealth(before, 'key_refused');
    const noted = await instances.get('T1', before.id);
    expect(noted?.keyRefusedAt).toBeDefined();
    if (!noted) throw new Error('the instance is gone');
    world.service.revokeKey(ACME_KEY);
    await instances.replaceKey(noted, ApiKey.from(ACME_KEY_TOO), { acceptOtherAccount: false });
    expect((await instances.get('T1', before.id))?.keyRefusedAt).toBeUndefined();
  });

  test('by a key of another account asks first', async () => {
    const { instances } = await start();
    const before = await addInstance({ instances });
    const key = ApiKey.from(BIRCH_KEY);
    const change = { from: `${BASE_URL}#1`, to: `${BASE_URL}#2` };
    const asked = { kind: 'other_account', was: 'Acme Ltd', now: 'Birch & Co', change };
    expect(await instances.replaceKey(before, key, { acceptOtherAccount: false })).toEqual(asked);
    const another = { from: change.from, to: `${BASE_URL}#3` };
    expect(await instances.replaceKey(before, key, { acceptOtherAccount: another })).toEqual(asked);
    expect((await instances.get('T1', before.id))?.accountId).toBe(before.accountId);
    const accepted = await instances.replaceKey(before, key, { acceptOtherAccount: true });
    expect(accepted).toMatchObject({ kind: 'saved', instance: { accountId: `${BASE_URL}#2`, userId: 2 } });
  });

  test('by a key of another account leaves no record with the account before; of the same account, it stays', async () => {
    const { instances, records } = await start();
    const before = await addInstance({ instances });
    const replace = (key: string) =>
      instances.replaceKey(before, ApiKey.from(key), { acceptOtherAccount: true });
    await replace(ACME_KEY_TOO);
    expect(await records.accountInstances.keys()).toEqual([`${BASE_URL}#1/T1/${before.id}`]);
    await replace(BIRCH_KEY);
    expect(await records.accountInstances.keys()).toEqual([`${BASE_URL}#2/T1/${before.id}`]);
  });

  test('by a key that the service refuses, or of another instance, changes nothing', async () => {
    const { instances } = await start();
    const acme = await addInstance({ instances });
    await addInstance({ instances }, ACME_KEY_TOO, 'Acme too');
    const options = { acceptOtherAccount: true };
    expect(await instances.replaceKey(acme, ApiKey.from('no-such-key'), options)).toEqual({
      kind: 'key_refused',
    });
    expect(await instances.replaceKey(acme, ApiKey.from(ACME_KEY_TOO), options)).toEqual({
      kind: 'key_in_use',
      name: 'Acme too',
    });
    expect(await instances.get('T1', acme.id)).toEqual(acme);
  });
});

describe('the known health of keys', () => {
  test('since when it is refused stays, until it works', async () => {
    const { instances, world } = await start();
    const instance = await addInstance({ instances });
    await instances.noteKeyHealth(instance, 'key_refused');
    const since = (await instances.get('T1', instance.id))?.keyRefusedAt;
    world.time.advance(5000);
    await instances.noteKeyHealth(instance, 'key_refused');
    expect((await instances.get('T1', instance.id))?.keyRefusedAt).toBe(since);
    await instances.noteKeyHealth(instance, 'works');
    const good = await instances.get('T1', instance.id);
    expect(good?.keyRefusedAt).toBeUndefined();
    expect(good?.lastGoodCheckAt).toBeGreaterThan(since ?? Number.POSITIVE_INFINITY);
  });

  test('a good check that lies ahead, since a clock was set back, is noted again', async () => {
    const { instances, records, world } = await start();
    const instance = await addInstance({ instances });
    const ahead = Math.round(world.time.clock.wall()) + 86_400_000;
    await records.instances.set(`T1/${instance.id}`, { ...instance, lastGoodCheckAt: ahead });
    await instances.noteKeyHealth(instance, 'works');
    expect((await instances.get('T1', instance.id))?.lastGoodCheckAt).toBeLessThan(ahead);
  });

  test('an answer for a key that was replaced meanwhile says nothing about the new one', async () => {
    const { instances } = await start();
    const before = await addInstance({ instances });
    await instances.replaceKey(before, ApiKey.from(ACME_KEY_TOO), { acceptOtherAccount: false });
    await instances.noteKeyHealth(before, 'key_refused');
    expect((await instances.get('T1', before.id))?.keyRefusedAt).toBeUndefined();
  });

  test('an instance of the account whose key works is asked before one whose key does not', async () => {
    const { instances } = await start();
    const one = await addInstance({ instances });
    const two = await addInstance({ instances }, ACME_KEY_TOO, 'Acme too');
    for (const refused of [one, two]) {
      await instances.noteKeyHealth(one, refused === one ? 'key_refused' : 'works');
      await instances.noteKeyHealth(two, refused === two ? 'key_refused' : 'works');
      const [first, last] = await instances.ofAccount(one.accountId);
      expect(last?.id).toBe(refused.id);
      expect(first?.keyRefusedAt).toBeUndefined();
    }
  });
});

describe('removing an instance', () => {
  test('leaves none of its states for ever, and no name of a key that it had', async () => {
    const { instances, ledger, records } = await start();
    const instance = await addInstance({ instances });
    for (const name of statesOfInstance(instance)) {
      await ledger.changeState(name, { from: undefined, to: 'refused', details: null });
    }
    await instances.replaceKey(instance, ApiKey.from(ACME_KEY_TOO), { acceptOtherAccount: false });
    expect(await records.keyHolders.list()).toHaveLength(1);
    expect(await instances.remove(instance)).toEqual({ kind: 'removed' });
    expect(await records.keyHolders.list()).toEqual([]);
    expect(await ledger.deleteOver('states', ledger.now())).toBe(statesOfInstance(instance).length);
  });

  test('is refused, too, while somebody links a channel to it', async () => {
    const booted = await boot(await createCoreWorld());
    const { instances, links } = createBooks(booted);
    const instance = await addInstance({ instances });
    const { links: real } = booted.records;
    let linked: Promise<unknown> | undefined;
    async function list(team?: string) {
      const found = await real.list(team);
      linked ??= linkTo({ links }, instance);
      await linked;
      return found;
    }
    const records = { ...booted.records, links: { ...real, list } };
    const removing = createBooks({ ...booted, records }).instances;
    expect(await removing.remove(instance)).toMatchObject({
      kind: 'in_use',
      links: [{ channel: 'C-sales' }],
    });
    expect((await links.find('T1', 'C-sales'))?.instance).toEqual(instance);
    expect(await instances.ofAccount(instance.accountId)).toEqual([instance]);
  });

  test('is refused while a channel is linked to it or a send of it is open', async () => {
    const { instances, links, ledger } = await start();
    const instance = await addInstance({ instances });
    const link = await linkTo({ links }, instance);
    const draft = {
      id: 's1',
      team: 'T1',
      channelId: 'C-sales',
      instance: instance.id,
      kind: 'single' as const,
      details: {},
      topics: [],
      expiresInMs: 900_000,
      chunks: [[{ phone: '442079460958', text: 'Hi' }]],
    };
    await ledger.draft(draft);
    await ledger.decide('s1', { to: 'running', by: 'U1' });
    expect(await instances.remove(instance)).toEqual({ kind: 'in_use', links: [link], sends: 1 });
    await links.remove(link, 'U-admin');
    expect(await instances.remove(instance)).toEqual({ kind: 'in_use', links: [], sends: 1 });
    await ledger.stop('s1');
    expect(await instances.remove(instance)).toEqual({ kind: 'removed' });
    expect(await instances.list('T1')).toEqual([]);
  });
});
