import { expect, test } from 'vitest';
import { createCanOpenKey } from '../../../src/core/dispatch/can-open-key.ts';
import { ACME_KEY_TOO, addInstance, boot, createBooks, createCoreWorld } from '../../helpers/core-world.ts';

test('a key that was copied to another instance does not open there, and still opens where it belongs', async () => {
  const world = await createCoreWorld();
  const { instances } = createBooks(await boot(world));
  const acme = await addInstance({ instances });
  const too = await addInstance({ instances }, ACME_KEY_TOO, 'Acme too');
  const canOpenKey = createCanOpenKey({ instances, log: world.log });
  const copied = { ...too, sealedKey: acme.sealedKey };
  for (const _look of [1, 2]) {
    expect(canOpenKey(copied)).toBe(false);
    expect(canOpenKey(acme)).toBe(true);
    expect(canOpenKey(too)).toBe(true);
  }
  expect(world.logged().match(/can.t decrypt its API key/g)).toHaveLength(1);
});
