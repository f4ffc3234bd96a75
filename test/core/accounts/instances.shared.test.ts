import { describe, expect, test } from 'vitest';
import { ApiKey } from '../../../src/sms/api-key.ts';
import type { Records } from '../../../src/store/records.ts';
import { ACME_KEY_TOO, addInstance, type Boot, createBooks } from '../../helpers/core-world.ts';
import { ENGINES, onceRead } from '../../helpers/two-bots.ts';

const instancesOf = (bot: Boot, records: Records = bot.records) => createBooks({ ...bot, records }).instances;

const NEW_KEY = ApiKey.from(ACME_KEY_TOO);

describe.each(ENGINES)('two bots on $engine', ({ open }) => {
  async function start() {
    const { one, other } = await open();
    const instance = await addInstance({ instances: instancesOf(one) });
    return { one, other, instance };
  }

  test.each([true, false])(
    'a key that one replaces stays, while the other notes works=%s of the old one',
    async (works) => {
      const { one, other, instance } = await start();
      one.time.advance(120_000);
      const replacing = onceRead(one.records, 'instances', () =>
        instancesOf(other).replaceKey(instance, NEW_KEY, { acceptOtherAccount: false }),
      );
      expect(await instancesOf(one, replacing).noteKeyHealth(instance, works)).toBe(false);
      const now = await instancesOf(one).get('T1', instance.id);
      expect(now).toMatchObject({ keyHint: '…bbbb' });
      expect(now?.keyRefusedAt).toBeUndefined();
      if (now) expect(instancesOf(one).keyOf(now).reveal()).toBe(ACME_KEY_TOO);
    },
  );

  test('an instance that one removes does not come back, whatever the other notes of its key', async () => {
    const { one, other, instance } = await start();
    const removing = onceRead(one.records, 'instances', () => instancesOf(other).remove(instance));
    expect(await instancesOf(one, removing).noteKeyHealth(instance, false)).toBe(false);
    expect(await one.records.instances.list()).toEqual([]);
  });

  test('an instance that one removes does not come back by a key that the other puts in its place', async () => {
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
});
