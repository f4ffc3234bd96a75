import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { forgetSecrets, rotateKeys } from '../../src/admin/key-commands.ts';
import { chosenInstance, type Tools } from '../../src/admin/tools.ts';
import { createOptOutHash, sealFor } from '../../src/core/opt-outs/sealed-opt-outs.ts';
import { statesOfInstance } from '../../src/core/state-names.ts';
import { createCipher } from '../../src/records/encryption.ts';
import { instanceKey } from '../../src/records/schema.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { startedJob } from '../helpers/core-jobs.ts';
import {
  ACME_KEY_TOO,
  addInstance,
  BIRCH_KEY,
  boot,
  createBooks,
  createCoreWorld,
  runLinked,
} from '../helpers/core-world.ts';
import { openRecords } from '../helpers/open-records.ts';

const [old, fresh, lost] = [randomBytes(32), randomBytes(32), randomBytes(32)];

/** A store whose secrets the old key sealed, except one API key and one opt-out. */
async function rotatedWith(damage: (sealed: string, address: string) => string) {
  const world = await createCoreWorld();
  const booted = await boot(world);
  const db = openDatabase(world.folder);
  onTestFinished(() => db.close());
  db.sql("DELETE FROM kv WHERE namespace = 'secrets'").run();
  const open = (keys: Buffer[]) => {
    const cipher = createCipher(keys);
    return { cipher, records: openRecords(db, cipher) };
  };
  const before = open([old]);
  await before.records.fingerprintSecret();
  const books = createBooks({ ...booted, ...before });
  const broken = await addInstance(books);
  const whole = await addInstance(books, BIRCH_KEY, 'Birch');
  const { instances } = before.records;
  const address = instances.addressOf(instanceKey(broken));
  const sealedKey = damage(broken.sealedKey, address);
  await instances.set(instanceKey(broken), { ...broken, sealedKey });
  const hashOf = createOptOutHash(randomBytes(32));
  const entries = ['447700900123', '447700900456'].map((phone) => {
    const hash = hashOf('T1', phone);
    return { hash, sealed: sealFor(before.cipher, { team: 'T1', hash }, phone) };
  });
  await booted.ledger.changeOptOuts({ team: 'T1', to: 'out', cause: { by: 'U1', via: 'command' }, entries });

  const said = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(() => said.mockRestore());
  const tools = { ...booted, ...open([fresh, old]) };
  const failure = await rotateKeys(tools as never as Tools).then(
    () => undefined,
    (error: Error) => error,
  );
  const after = open([fresh]);
  const keyOf = createBooks({ ...booted, ...after }).instances.keyOf;
  const kept = await after.records.instances.get(instanceKey(broken));
  const sealed = await after.records.instances.get(instanceKey(whole));
  if (!sealed) throw new Error('the other instance is gone');
  expect(keyOf(sealed).reveal()).toBe(BIRCH_KEY);
  for (const { hash } of entries) {
    const optOut = await booted.ledger.optOut('T1', hash);
    expect(after.cipher.renew(optOut?.sealed ?? '', '')).toBe(optOut?.sealed);
  }
  expect(kept?.sealedKey).toBe(sealedKey);
  return { said: said.mock.calls.join(''), failure, address };
}

test('rotate-keys seals the rest if one secret is damaged, and names the damaged one', async () => {
  const { said, failure, address } = await rotatedWith((sealed) => `${sealed.slice(0, -6)}AAAAAA`);
  expect(said).toMatch(/^4 secrets were sealed again under the first key\. You can remove the other keys/);
  expect(failure?.name).toBe('AdminError');
  expect(failure?.message).toContain(`(${address}) does not open: it is damaged`);
  expect(failure?.message).toContain('since they can’t be read: 1.');
});

test('rotate-keys lets no key go while a missing key has sealed something', async () => {
  const { said, failure } = await rotatedWith((_, address) => createCipher([lost]).seal('key', address));
  expect(said).toMatch(/^4 secrets were sealed again under the first key\.\n$/);
  expect(failure?.message).toContain('put that key back');
});

test('forget-keys forgets a damaged instance, too, and stops its jobs', async () => {
  const world = await createCoreWorld();
  const { core, ledger, cipher } = await runLinked(world, {
    bulk: { minRecipients: 2 },
    prepare: ({ tap }) => tap.intercept('take', () => async () => ({ kind: 'idle' })),
  });
  const { id } = await startedJob(core, { count: 4 });
  const db = openDatabase(world.folder);
  onTestFinished(() => db.close());
  db.raw.exec(`UPDATE kv SET value = '{"val' WHERE namespace = 'instances'`);
  const records = openRecords(db, cipher);
  const states = statesOfInstance({ team: 'T1', id: (await records.instances.keys())[0]?.slice(3) ?? '' });
  for (const name of states) await ledger.changeState(name, { from: undefined, to: 'on', details: null });
  const said = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(() => said.mockRestore());
  await forgetSecrets({ records, ledger } as never as Tools);
  expect(said.mock.calls.join('')).toMatch(/^Jobs stopped: 1 · instances forgotten: 1\./);
  for (const kind of ['instances', 'accountInstances', 'keyHolders'] as const)
    expect(await records[kind].keys()).toEqual([]);
  for (const name of states) expect(await ledger.namedState(name)).toMatchObject({ isOver: true });
  expect((await core.jobs.view(id))?.state).toBe('stopped');
});

test('if several instances have one name, a command takes only the one with the given id', async () => {
  const { core, instance } = await runLinked(await createCoreWorld());
  const other = await addInstance(core, ACME_KEY_TOO, instance.name);
  const all = await core.instances.list('T1');
  expect(() => chosenInstance(all, instance.name)).toThrow(`${instance.id}  ${instance.keyHint}`);
  expect(() => chosenInstance(all, instance.name)).toThrow(`${other.id}  ${other.keyHint}`);
  for (const { id } of [instance, other]) expect(chosenInstance(all, id).id).toBe(id);
  expect(() => chosenInstance(all, 'Nobody')).toThrow('--instance NAME');
});
