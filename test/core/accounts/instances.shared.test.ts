import { describe, expect, test } from 'vitest';
import { forgetWorkspace } from '../../../src/core/workspaces/forget-workspace.ts';
import type { Records } from '../../../src/records/records.ts';
import type { Instance } from '../../../src/records/schema.ts';
import { ApiKey } from '../../../src/sms/api-key.ts';
import { createGate } from '../../helpers/core-ledger.ts';
import {
  ACME_KEY,
  ACME_KEY_TOO,
  addInstance,
  BIRCH_KEY,
  type Boot,
  createBooks,
  linkTo,
} from '../../helpers/core-world.ts';
import { ENGINES, onceRead } from '../../helpers/two-bots.ts';

const instancesOf = (bot: Boot, records: Records = bot.records) => createBooks({ ...bot, records }).instances;

const INSTALLATION = { id: 'T1', isOrgWide: false, botUserId: 'U-bot', sealedTokens: 'x', installedAt: 1 };
const NEW_KEY = ApiKey.from(ACME_KEY_TOO);

describe.each(ENGINES)('two bots on $engine', ({ open }) => {
  async function start() {
    const { one, other } = await open();
    const instance = await addInstance({ instances: instancesOf(one) });
    return { one, other, instance };
  }

  test.each(['works', 'accepted', 'key_refused', 'other_account'] as const)(
    'a key that one replaces stays, while the other notes “%s” of the old one',
    async (health) => {
      const { one, other, instance } = await start();
      one.time.advance(120_000);
      const replacing = onceRead(one.records, 'instances', () =>
        instancesOf(other).replaceKey(instance, NEW_KEY, { acceptOtherAccount: false }),
      );
      expect(await instancesOf(one, replacing).noteKeyHealth(instance, health)).toBe(false);
      const now = await instancesOf(one).get('T1', instance.id);
      expect(now).toMatchObject({ keyHint: '…bbbb' });
      expect(now?.keyRefusedAt).toBeUndefined();
      if (now) expect(instancesOf(one).keyOf(now).reveal()).toBe(ACME_KEY_TOO);
    },
  );

  test('a key that both get at the same moment makes one instance', async () => {
    const { one, other } = await open();
    const together = createGate();
    let tested = 0;
    const waiting = (bot: Boot): Boot => ({
      ...bot,
      sms: {
        ...bot.sms,
        async balance(...args) {
          const answer = await bot.sms.balance(...args);
          tested += 1;
          if (tested === 2) together.open();
          await together.pass();
          return answer;
        },
      },
    });
    const fingerprintSecret = one.fingerprintSecret;
    const add = (bot: Boot) =>
      instancesOf({ ...waiting(bot), fingerprintSecret }).add({
        team: 'T1',
        name: 'Acme',
        by: 'U1',
        key: NEW_KEY,
      });
    const both = await Promise.all([add(one), add(other)]);
    expect(both.map(({ kind }) => kind).sort()).toEqual(['known', 'saved']);
    const all = await one.records.instances.list('T1');
    expect(both.map((taken) => 'instance' in taken && taken.instance.id)).toEqual([all[0]?.id, all[0]?.id]);
    expect(all).toHaveLength(1);
  });

  const replace = (bot: Boot, instance: Instance, records?: Records) =>
    instancesOf(bot, records).replaceKey(instance, NEW_KEY, { acceptOtherAccount: true });

  test('a key that both give to an instance at the same moment is the key of one', async () => {
    const { one, other, instance } = await start();
    const another = await addInstance({ instances: instancesOf(one) }, BIRCH_KEY, 'Birch');
    const fingerprintSecret = one.fingerprintSecret;
    const replacing = onceRead(one.records, 'instances', () =>
      replace({ ...other, fingerprintSecret }, another),
    );
    expect(await replace(one, instance, replacing)).toEqual({ kind: 'key_in_use', name: 'Birch' });
    expect((await instancesOf(one).get('T1', instance.id))?.keyHint).toBe('…aaaa');
  });

  test.each(['replaces a key with it', 'adds it'])(
    'a key that one adds while the other %s is the key of one instance, however long that takes',
    async (how) => {
      const { one, other, instance } = await start();
      const bot = { ...other, fingerprintSecret: one.fingerprintSecret };
      const adding = onceRead(one.records, 'installations', async () => {
        one.time.advance(10_001);
        await (how === 'adds it' ? add(bot) : replace(bot, instance));
      });
      expect(await add(one, adding)).toMatchObject({ kind: 'known' });
      const all = await one.records.instances.list('T1');
      expect(all.filter(({ keyHint }) => keyHint === '…bbbb')).toHaveLength(1);
    },
  );

  test('a key that its instance gave up, and gets again while the other adds it, is the key of one', async () => {
    const { one, other, instance } = await start();
    const bot = { ...other, fingerprintSecret: one.fingerprintSecret };
    await replace(one, instance);
    const old = ApiKey.from(ACME_KEY);
    await instancesOf(one).replaceKey(instance, old, { acceptOtherAccount: true });
    const adding = onceRead(one.records, 'installations', () => replace(bot, instance));
    expect(await add(one, adding)).toMatchObject({ kind: 'known', instance: { id: instance.id } });
  });

  test('a key of an earlier version, which noted no holder, is found', async () => {
    const { one, instance } = await start();
    for (const key of await one.records.keyHolders.keys()) await one.records.keyHolders.delete(key);
    const again = { team: 'T1', name: 'Acme', key: ApiKey.from(ACME_KEY), by: 'U1' };
    expect(await instancesOf(one).add(again)).toMatchObject({ kind: 'known', instance: { id: instance.id } });
  });

  test('a key that one bot adds while the other removes its instance can be added after that', async () => {
    const { one, other, instance } = await start();
    const bot = { ...other, fingerprintSecret: one.fingerprintSecret };
    const again = { team: 'T1', name: 'Acme', key: ApiKey.from(ACME_KEY), by: 'U1' };
    const adding = onceRead(one.records, 'instances', () => instancesOf(bot).remove(instance));
    await instancesOf(one, adding).add(again);
    expect(await instancesOf(bot).list('T1')).toEqual([]);
    expect(await instancesOf(bot).add(again)).toMatchObject({ kind: 'saved' });
    expect(await instancesOf(one).add(again)).toMatchObject({ kind: 'known' });
  });

  /** `one` removes the instance. Meanwhile `other` links a channel to it, and then does something with its key. */
  async function removedBeside(
    { one, other, instance }: Awaited<ReturnType<typeof start>>,
    next: () => Promise<unknown>,
  ) {
    const meanwhile = [() => linkTo(createBooks(other), instance), next];
    const { links } = one.records;
    const list: typeof links.list = async (...of) => {
      const found = await links.list(...of);
      await meanwhile.shift()?.();
      return found;
    };
    return instancesOf(one, { ...one.records, links: { ...links, list } }).remove(instance);
  }

  test.each(['adds', 'gives to another instance'])(
    'a key whose instance one bot removes, while the other links it and %s the key, is the key of one',
    async (how) => {
      const bots = await start();
      const { one, other, instance } = bots;
      const another = await addInstance({ instances: instancesOf(one) }, BIRCH_KEY, 'Birch');
      const bot = instancesOf({ ...other, fingerprintSecret: one.fingerprintSecret });
      const key = ApiKey.from(ACME_KEY);
      const next = () =>
        how === 'adds'
          ? bot.add({ team: 'T1', name: 'Acme', key, by: 'U1' })
          : bot.replaceKey(another, key, { acceptOtherAccount: true });
      expect(await removedBeside(bots, next)).toEqual({ kind: 'removed' });
      const all = await one.records.instances.list('T1');
      expect(all.filter(({ keyHint }) => keyHint === instance.keyHint)).toHaveLength(1);
      expect(await instancesOf(one).get('T1', instance.id)).toBeUndefined();
    },
  );

  test('an instance that one bot removes, while the other links it, stays with its key', async () => {
    const bots = await start();
    const { one, instance } = bots;
    const removed = await removedBeside(bots, async () => {});
    expect(removed).toMatchObject({ kind: 'in_use', links: [{ channel: 'C-sales' }] });
    const again = { team: 'T1', name: 'Acme', key: ApiKey.from(ACME_KEY), by: 'U1' };
    expect(await instancesOf(one).add(again)).toMatchObject({ kind: 'known', instance });
  });

  test('an instance that one bot removes does not come back, whatever the other notes about its key', async () => {
    const { one, other, instance } = await start();
    const removing = onceRead(one.records, 'instances', () => instancesOf(other).remove(instance));
    expect(await instancesOf(one, removing).noteKeyHealth(instance, 'key_refused')).toBe(false);
    expect(await one.records.instances.list()).toEqual([]);
  });

  test('an instance that one bot removes does not come back by a key that the other replaces it with', async () => {
    const { one, other, instance } = await start();
    const { sms } = one;
    const slow: Boot = {
      ...one,
      sms: {
        ...sms,
        async balance(...args) {
          const answer = await sms.balance(...args);
          await instancesOf(other).remove(instance);
          return answer;
        },
      },
    };
    const replaced = await instancesOf(slow).replaceKey(instance, NEW_KEY, { acceptOtherAccount: false });
    expect(replaced).toEqual({ kind: 'removed' });
    expect(await one.records.instances.list()).toEqual([]);
  });

  /** T1 as a workspace that has installed the bot itself. */
  async function installed() {
    const bots = await open();
    await bots.one.records.installations.set('T1', INSTALLATION);
    return bots;
  }

  /** The workspace removes the bot, and another bot sees this. */
  async function uninstall({ ledger, records }: Boot): Promise<void> {
    await records.installations.set('T1', { ...INSTALLATION, removedAt: 2 });
    await forgetWorkspace({ ledger, records }, 'T1', async () => true);
    await records.installations.delete('T1');
  }

  const add = (bot: Boot, records?: Records) =>
    instancesOf(bot, records).add({ team: 'T1', name: 'Acme', key: NEW_KEY, by: 'U1' });

  test('a key whose workspace is forgotten while it is tested is not saved', async () => {
    const { one, other } = await installed();
    const { sms } = one;
    const slow: Boot = {
      ...one,
      sms: {
        ...sms,
        async balance(...args) {
          const answer = await sms.balance(...args);
          await uninstall(other);
          return answer;
        },
      },
    };
    expect(await add(slow)).toEqual({ kind: 'removed' });
    expect(await one.records.instances.list()).toEqual([]);
  });

  test('nor an instance whose workspace is forgotten just before the write', async () => {
    const { one, other } = await installed();
    const removing = onceRead(one.records, 'installations', () => uninstall(other));
    expect(await add(one, removing)).toEqual({ kind: 'removed' });
    expect(await one.records.instances.list()).toEqual([]);
  });

  test('a key of a workspace that is being forgotten is not saved, by whichever bot serves it', async () => {
    const { one } = await open();
    const { installations, workspaces } = one.records;
    const workspace = { team: 'T1', name: 'One', botUserId: 'U-bot', firstSeenAt: 1 };
    await installations.set('T1', { ...INSTALLATION, removedAt: 2 });
    expect(await add(one)).toEqual({ kind: 'removed' });
    await installations.delete('T1');
    await workspaces.set('T1', { ...workspace, enterprise: 'E1' });
    expect(await add(one)).toEqual({ kind: 'removed' });
    await installations.set('E1', { ...INSTALLATION, id: 'E1', isOrgWide: true });
    await workspaces.set('T1', { ...workspace, enterprise: 'E1', removedAt: 2 });
    expect(await add(one)).toEqual({ kind: 'removed' });
    await workspaces.set('T1', { ...workspace, enterprise: 'E1' });
    expect((await add(one)).kind).toBe('saved');
  });

  test('a workspace that the environment’s token serves needs no installation', async () => {
    const { one } = await open();
    expect((await add(one)).kind).toBe('saved');
  });
});
