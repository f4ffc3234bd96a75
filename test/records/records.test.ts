import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Keyv } from 'keyv';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Cipher, createCipher } from '../../src/records/encryption.ts';
import { RecordError } from '../../src/records/namespace.ts';
import { createKeyvAdapter } from '../../src/records/record-store.ts';
import { createRecords } from '../../src/records/records.ts';
import type { Instance, Link, Workspace } from '../../src/records/schema.ts';
import { createSqliteRecords } from '../../src/records/sqlite/record-store.ts';
import { explainStart } from '../../src/start-error.ts';
import { type Database, openDatabase } from '../../src/store/sqlite/open.ts';
import { openRecords } from '../helpers/open-records.ts';

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const apiKey = 'sk_live_0123456789a1b2';

let folder: string;
let database: Database;
let damages: RecordError[];

beforeEach(() => {
  damages = [];
  folder = mkdtempSync(join(tmpdir(), 'switchboard-records-'));
  database = openDatabase(folder);
});

afterEach(() => {
  if (database.raw.isOpen) database.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(cipher: Cipher = createCipher([oldKey])) {
  return openRecords(database, cipher, (error) => damages.push(error));
}

function instanceOf(overrides: Partial<Instance> = {}): Instance {
  return {
    team: 'T1',
    id: 'i1',
    name: 'Front desk',
    keyFingerprint: 'f1',
    sealedKey: 'sealed',
    keyHint: '…a1b2',
    accountId: 'https://sms.example.com/api/v1 7',
    userId: 7,
    userName: 'Acme',
    addedBy: 'U1',
    addedAt: 1,
    keyChangedAt: 1,
    lastGoodCheckAt: 1,
    ...overrides,
  };
}

function linkOf(overrides: Partial<Link> = {}): Link {
  return {
    team: 'T1',
    channel: 'C1',
    instanceId: 'i1',
    threshold: 100,
    whoCanSend: 'everyone',
    people: [],
    guests: false,
    receiptLine: true,
    linkedBy: 'U1',
    linkedAt: 2,
    ...overrides,
  };
}

/** Writes a value into the store without the records. */
function plant(namespace: string, key: string, value: string): void {
  database.raw
    .prepare('INSERT OR REPLACE INTO kv (namespace, key, value) VALUES (?, ?, ?)')
    .run(namespace, key, value);
}

describe('createRecords', () => {
  it('keeps instances, links and workspaces, also across a reopening', async () => {
    const instance = instanceOf({ keyRefusedAt: 5 });
    const link = linkOf({ country: 'ID', whoCanSend: 'chosen', people: ['U2'] });
    const workspace: Workspace = { team: 'T1', name: 'Acme', botUserId: 'UBOT', firstSeenAt: 3 };
    const records = open();
    await records.instances.set('T1/i1', instance);
    await records.links.set('T1/C1', link);
    await records.workspaces.set('T1', workspace);
    database.close();
    database = openDatabase(folder);

    const again = open();
    expect(await again.instances.get('T1/i1')).toEqual(instance);
    expect(await again.links.get('T1/C1')).toEqual(link);
    expect(await again.workspaces.get('T1')).toEqual(workspace);
    expect(await again.links.get('T1/C2')).toBeUndefined();
    expect(await again.links.delete('T1/C1')).toBe(true);
    expect(await again.links.delete('T1/C1')).toBe(false);
    expect(await again.links.get('T1/C1')).toBeUndefined();
    expect(await again.instances.get('T1/i1')).toEqual(instance);
  });

  it.each([':rocket: Sales', '::', ':base64:QUJD', 'Sales :rocket:', '“:x”', '\\":'])(
    'keeps the name %j, as keyv itself reads it too',
    async (name) => {
      const { instances, links } = open();
      await instances.set('T1/i1', instanceOf({ name }));
      await links.set('T1/C1', linkOf({ people: ['U1', name] }));
      expect(await instances.get('T1/i1')).toEqual(instanceOf({ name }));
      expect(await links.list()).toEqual([linkOf({ people: ['U1', name] })]);
      const plain = new Keyv({
        store: createKeyvAdapter(createSqliteRecords(database), 'instances'),
        namespace: 'instances',
        useKeyPrefix: false,
      });
      expect(await plain.get('T1/i1')).toEqual(instanceOf({ name }));
    },
  );

  it('lets the last write win', async () => {
    const { links } = open();
    await links.set('T1/C1', linkOf({ threshold: 1 }));
    await links.set('T1/C1', linkOf({ threshold: 2 }));
    expect((await links.get('T1/C1'))?.threshold).toBe(2);
  });

  it('reads a record of a later version that knows more fields, and keeps them in a change', async () => {
    const { instances, links, inOneStep } = open();
    const limits = { approvers: [], approvalsIn: 'channel', ownApproval: false, undoSeconds: 0 } as const;
    const later = { ...linkOf(), limits: { ...limits, weeklyBudget: 5 }, quietHours: { from: 22 } };
    plant('links', 'T1/C1', JSON.stringify({ value: later }));
    plant('instances', 'T1/i1', JSON.stringify({ value: { ...instanceOf(), isFrozen: true } }));
    await inOneStep(async (step) => {
      const link = await step.get(links, 'T1/C1');
      const instance = await step.get(instances, 'T1/i1');
      if (!link || !instance) throw new Error('they are not there');
      step.set(links, 'T1/C1', { ...link, threshold: 7 });
      step.set(instances, 'T1/i1', { ...instance, lastGoodCheckAt: 60_001 });
    });
    expect(await links.get('T1/C1')).toEqual({ ...later, threshold: 7 });
    expect(await instances.get('T1/i1')).toMatchObject({ isFrozen: true, lastGoodCheckAt: 60_001 });
  });

  it('lists a workspace, or all of them', async () => {
    const { links, workspaces } = open();
    for (const [team, channel] of [
      ['T1', 'C1'],
      ['T1', 'C2'],
      ['T11', 'C3'],
      ['T2', 'C1'],
    ] as const) {
      await links.set(`${team}/${channel}`, linkOf({ team, channel }));
      await workspaces.set(team, { team, name: team, botUserId: 'UBOT', firstSeenAt: 1 });
    }
    const channels = async (team?: string) =>
      (await links.list(team)).map((link) => `${link.team}/${link.channel}`).sort();
    expect(await channels('T1')).toEqual(['T1/C1', 'T1/C2']);
    expect(await channels('T3')).toEqual([]);
    expect(await channels()).toEqual(['T1/C1', 'T1/C2', 'T11/C3', 'T2/C1']);
    expect(await workspaces.list()).toHaveLength(3);
  });

  it('names a damaged record and its fields, never their values', async () => {
    const { links, workspaces } = open();
    const damaged = { ...linkOf(), threshold: 'private', people: ['U1', 'U2', { private: 1 }] };
    plant('links', 'T1/C1', JSON.stringify({ value: damaged }));
    plant('workspaces', 'T1', JSON.stringify({ value: 'private' }));

    expect(await links.get('T1/C1')).toBeUndefined();
    const [error] = damages;
    expect(error).toBeInstanceOf(RecordError);
    expect(error).toMatchObject({ code: 'record_damaged' });
    expect(String(error)).toBe(
      'RecordError: The stored record links/T1/C1 is damaged (threshold, people.2).',
    );
    await expect(workspaces.get('T1')).rejects.toThrow('workspaces/T1 is damaged (as a whole).');
    expect(await workspaces.get('T2')).toBeUndefined();
  });

  it('people can choose a damaged value again, unless somebody was quicker', async () => {
    const { links, inOneStep } = open();
    plant('links', 'T1/C1', 'private, and no JSON');
    expect(await links.stored('T1/C1')).toEqual({ text: 'private, and no JSON', record: undefined });
    const seen: unknown[] = [];
    await inOneStep(async (step) => {
      seen.push(await step.get(links, 'T1/C1'));
      // Another admin links the channel at the same time.
      if (seen.length === 1) await links.set('T1/C1', linkOf({ threshold: 7 }));
      step.set(links, 'T1/C1', linkOf({ threshold: 8 }));
    });
    expect(seen).toEqual([undefined, linkOf({ threshold: 7 })]);
    expect(await links.get('T1/C1')).toEqual(linkOf({ threshold: 8 }));
  });

  it('a list leaves a damaged record out, reports it, and still shows the others', async () => {
    const { links } = open();
    plant('links', 'T1/C1', JSON.stringify({ value: { ...linkOf(), threshold: 'private' } }));
    await links.set('T1/C2', { ...linkOf(), channel: 'C2' });
    expect((await links.list('T1')).map(({ channel }) => channel)).toEqual(['C2']);
    const damaged = (key: string) => ({ message: expect.stringContaining(`links/${key} is damaged`) });
    expect(damages).toMatchObject([damaged('T1/C1')]);
    plant('links', 'T1/C3', 'private, and no JSON');
    expect((await links.list('T1')).map(({ channel }) => channel)).toEqual(['C2']);
    expect(damages).toMatchObject(['T1/C1', 'T1/C1', 'T1/C3'].map(damaged));
    expect(await links.get('T1/C3')).toBeUndefined();
  });

  it('throws when the database refuses', async () => {
    const { links } = open();
    database.close();
    await expect(links.set('T1/C1', linkOf())).rejects.toThrow();
    await expect(links.get('T1/C1')).rejects.toThrow();
    await expect(links.delete('T1/C1')).rejects.toThrow();
    await expect(links.list('T1')).rejects.toThrow();
  });
});

describe('fingerprintSecret', () => {
  it('is not made again if it is missing or damaged: opt-outs would not hold any more', async () => {
    const records = open();
    const secret = await records.fingerprintSecret();
    await records.instances.set('T1/i1', instanceOf());
    plant('secrets', 'fingerprint', '{"val');
    const damaged = await open()
      .fingerprintSecret()
      .catch((error: unknown) => error);
    expect(explainStart(damaged)).toMatch(/^The stored record secrets\/fingerprint is damaged .*forget-keys/);
    database.raw.exec("DELETE FROM kv WHERE namespace = 'secrets'");
    const missing = await open()
      .fingerprintSecret()
      .catch((error: unknown) => error);
    expect(explainStart(missing)).toMatch(/secrets\/fingerprint is damaged \(missing\)\./);
    await open().forgetSecrets();
    const fresh = await open().fingerprintSecret();
    expect(fresh).toHaveLength(32);
    expect(fresh).not.toEqual(secret);
  });

  it('is made once, of 32 bytes, and stands sealed in the file', async () => {
    const secret = await open().fingerprintSecret();
    expect(secret).toHaveLength(32);
    expect(await open().fingerprintSecret()).toEqual(secret);
    for (const name of readdirSync(folder)) {
      const bytes = readFileSync(join(folder, name));
      for (const form of [secret, secret.toString('base64'), secret.toString('hex')]) {
        expect(bytes.includes(form)).toBe(false);
      }
    }
  });

  it('is made once by two first calls at once', async () => {
    const [one, other] = await Promise.all([open().fingerprintSecret(), open().fingerprintSecret()]);
    expect(one).toEqual(other);
  });

  it('does not open under a foreign key, and is not replaced then', async () => {
    const secret = await open().fingerprintSecret();
    await expect(open(createCipher([newKey])).fingerprintSecret()).rejects.toMatchObject({
      code: 'unknown_key',
    });
    expect(await open().fingerprintSecret()).toEqual(secret);
  });
});

describe('reseal', () => {
  it('seals every secret again with the first key, so that the old key can go', async () => {
    const oldCipher = createCipher([oldKey]);
    const before = open(oldCipher);
    const secret = await before.fingerprintSecret();
    for (const id of ['i1', 'i2']) {
      const sealedKey = oldCipher.seal(apiKey + id, before.instances.addressOf(`T1/${id}`));
      await before.instances.set(`T1/${id}`, instanceOf({ id, sealedKey }));
    }

    const sealedTokens = oldCipher.seal('tokens', before.installations.addressOf('T1'));
    const installation = { id: 'T1', isOrgWide: false, botUserId: 'U1', sealedTokens, installedAt: 1 };
    await before.installations.set('T1', installation);

    const rotating = open(createCipher([newKey, oldKey]));
    expect(await rotating.reseal()).toBe(4);
    expect(await rotating.reseal()).toBe(0);

    const newCipher = createCipher([newKey]);
    const after = open(newCipher);
    expect(await after.fingerprintSecret()).toEqual(secret);
    for (const id of ['i1', 'i2']) {
      const instance = await after.instances.get(`T1/${id}`);
      expect(instance).toMatchObject({ id, keyHint: '…a1b2' });
      expect(newCipher.open(instance?.sealedKey ?? '', after.instances.addressOf(`T1/${id}`))).toBe(
        apiKey + id,
      );
    }
    const tokens = (await after.installations.get('T1'))?.sealedTokens ?? '';
    expect(newCipher.open(tokens, after.installations.addressOf('T1'))).toBe('tokens');
  });

  it('does not seal a key that was replaced meanwhile, or bring back one that was removed', async () => {
    const [oldCipher, rotating] = [createCipher([oldKey]), createCipher([newKey, oldKey])];
    const before = open(oldCipher);
    const sealedIn = (cipher: Cipher, id: string, key: string) =>
      instanceOf({ id, sealedKey: cipher.seal(key, before.instances.addressOf(`T1/${id}`)) });
    for (const id of ['i1', 'i2']) await before.instances.set(`T1/${id}`, sealedIn(oldCipher, id, apiKey));
    const store = createSqliteRecords(database);
    const records = createRecords({
      store: {
        ...store,
        async *pages(namespace, group) {
          for await (const page of store.pages(namespace, group)) {
            if (namespace === 'instances') {
              await before.instances.set('T1/i1', sealedIn(rotating, 'i1', 'sk_replaced'));
              await before.instances.delete('T1/i2');
            }
            yield page;
          }
        },
      },
      cipher: rotating,
      teamsWithOptOuts: async () => [],
      onDamaged: (error) => damages.push(error),
    });
    expect(await records.reseal()).toBe(0);
    const [only, ...others] = await before.instances.list();
    expect(others).toEqual([]);
    expect(rotating.open(only?.sealedKey ?? '', before.instances.addressOf('T1/i1'))).toBe('sk_replaced');
  });

  it('is of no use if the key is lost: what it sealed is forgotten, installations too', async () => {
    const records = open();
    await records.fingerprintSecret();
    await records.instances.set('T1/i1', instanceOf());
    const sealedTokens = createCipher([oldKey]).seal('tokens', records.installations.addressOf('T1'));
    const installation = { id: 'T1', isOrgWide: false, botUserId: 'U1', sealedTokens, installedAt: 1 };
    await records.installations.set('T1', installation);
    expect(await records.forgetSecrets()).toBe(1);
    expect(await records.installations.list()).toEqual([]);
    expect(await open(createCipher([newKey])).fingerprintSecret()).toHaveLength(32);
  });
});
