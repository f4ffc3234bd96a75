import { describe, expect, onTestFinished, test } from 'vitest';
import { createNamespace, type RecordError } from '../../src/records/namespace.ts';
import { createRedisRecords, recordKey } from '../../src/records/redis/record-store.ts';
import { InstanceName } from '../../src/records/schema.ts';
import { createInOneStep } from '../../src/records/step.ts';
import { connect, type RedisClient } from '../../src/store/redis/connect.ts';
import { EPOCH_KEY } from '../../src/store/redis/epoch.ts';
import { startRedis, withoutRedis } from '../helpers/redis-server.ts';

/** Records on a Redis of their own. Each write needs the word of this many replicas. */
async function open({ replicas = 0 } = {}) {
  const server = await startRedis({ 'repl-diskless-sync-delay': '0' });
  const connection = await connect(server.url);
  onTestFinished(async () => {
    connection.close();
    await server.close();
  });
  const damages: RecordError[] = [];
  await connection.client.sendCommand(['SET', EPOCH_KEY, 'e']);
  let commands = 0;
  const counting: RedisClient = {
    sendCommand(words, options) {
      commands += 1;
      return connection.client.sendCommand(words, options);
    },
  };
  const store = createRedisRecords(counting, { epoch: 'e', replicas });
  const records = createNamespace(InstanceName, { name: 'payers', store }, (error) => {
    damages.push(error);
  });
  return { records, store, damages, server, connection, commands: () => commands };
}

describe.skipIf(withoutRedis)('a list of records in Redis', () => {
  test('has all of a group, over more than a page, and none of another that begins alike', async () => {
    const { records } = await open();
    const ids = Array.from({ length: 250 }, (_, index) => `i${String(index).padStart(3, '0')}`);
    for (const id of ids) await records.set(`T1/${id}`, { team: 'T1', id });
    for (const team of ['T10', 'T1-', 'ä']) await records.set(`${team}/i1`, { team, id: 'i1' });
    expect((await records.list('T1')).map(({ id }) => id)).toEqual(ids);
    expect(await records.list('ä')).toEqual([{ team: 'ä', id: 'i1' }]);
    expect(await records.list()).toHaveLength(ids.length + 3);
  });

  test('leaves a damaged record out, and reports it', async () => {
    const { records, damages, connection } = await open();
    for (const id of ['i1', 'i2', 'i3']) await records.set(`T1/${id}`, { team: 'T1', id });
    await connection.client.sendCommand(['SET', recordKey('payers', 'T1/i2'), 'no JSON']);
    expect((await records.list('T1')).map(({ id }) => id)).toEqual(['i1', 'i3']);
    expect(damages).toMatchObject([{ message: expect.stringContaining('payers/T1/i2 is damaged') }]);
  });

  test('that is empty asks whether the store was emptied; nobody writes into an emptied one', async () => {
    const { records, connection } = await open();
    await records.set('T1/i1', { team: 'T1', id: 'i1' });
    expect(await records.list('T2')).toEqual([]);
    await connection.client.sendCommand(['DEL', EPOCH_KEY]);
    expect(await records.list('T1')).toHaveLength(1);
    const emptied = { name: 'StoreTroubleError', code: 'emptied' };
    await expect(records.list('T2')).rejects.toMatchObject(emptied);
    await expect(records.get('T1/i2')).rejects.toMatchObject(emptied);
    await expect(records.set('T1/i2', { team: 'T1', id: 'i2' })).rejects.toMatchObject(emptied);
    await expect(records.delete('T1/i1')).rejects.toMatchObject(emptied);
    expect(await connection.client.sendCommand(['EXISTS', recordKey('payers', 'T1/i2')])).toBe(0);
  });
});

describe.skipIf(withoutRedis)('records that are read in the same tick', () => {
  test('come in one command, each for who asked for it', async () => {
    const { store, commands } = await open();
    const put = (namespace: string, key: string) => ({ namespace, key, text: `${namespace} ${key}` });
    await store.commit([], [put('payers', 'a'), put('payers', 'b'), put('links', 'a')]);
    const before = commands();
    const answers = await Promise.all([
      store.read('payers', ['a']),
      store.read('links', ['a']),
      store.read('payers', ['b', 'none', 'a']),
      store.read('links', ['b']),
    ]);
    expect(answers).toEqual([['payers a'], ['links a'], ['payers b', undefined, 'payers a'], [undefined]]);
    expect(commands()).toBe(before + 1);
  });

  test('fail only where something is missing once the store was emptied', async () => {
    const { store, connection } = await open();
    await store.commit([], [{ namespace: 'payers', key: 'a', text: 'payer a' }]);
    await connection.client.sendCommand(['DEL', EPOCH_KEY]);
    const [known, missing] = await Promise.allSettled([
      store.read('payers', ['a']),
      store.read('links', ['a']),
    ]);
    expect(known).toMatchObject({ value: ['payer a'] });
    expect(missing).toMatchObject({ reason: { code: 'emptied' } });
  });
});

describe.skipIf(withoutRedis)('a record that is no UTF-8 any more', () => {
  test('is reported, whatever is left of its JSON, and can be written again in a step', async () => {
    const { records, store, damages, connection } = await open();
    const [key, id] = [recordKey('payers', 'T1/i1'), 'i1'];
    await records.set('T1/i1', { team: 'T1', id });
    const bytes = Buffer.from(String(await connection.client.sendCommand(['GET', key])));
    bytes.writeUInt8(0xe9, bytes.indexOf(id));
    await connection.client.sendCommand(['SET', key, bytes]);

    await expect(records.get('T1/i1')).rejects.toThrow('payers/T1/i1 is damaged');
    expect(await records.list('T1')).toEqual([]);
    expect(damages).toHaveLength(1);
    const renewable = createNamespace(InstanceName, { name: 'payers', store, skipsDamaged: true }, () => {});
    let tries = 0;
    await createInOneStep(store)(async (step) => {
      tries += 1;
      if (tries > 9) throw new Error('the step never ends');
      expect(await step.get(renewable, 'T1/i1')).toBeUndefined();
      step.set(renewable, 'T1/i1', { team: 'T1', id });
    });
    expect(tries).toBe(1);
    expect(await records.get('T1/i1')).toEqual({ team: 'T1', id });
  });
});

describe.skipIf(withoutRedis)('a record that a replica must have', () => {
  test('is in doubt while the replica does not confirm the write, and written once it does', async () => {
    const { records, server } = await open({ replicas: 1 });
    const replica = await startRedis();
    const { client, close } = await connect(replica.url);
    onTestFinished(async () => {
      close();
      await replica.close();
    });
    const { hostname, port } = new URL(server.url);
    await client.sendCommand(['REPLICAOF', hostname, port]);
    const isThere = () => client.sendCommand(['EXISTS', recordKey('payers', 'T1/i1')]);
    const outcome = (work: Promise<unknown>) => work.then(() => 'done').catch((error) => error.code);
    const write = () => outcome(records.set('T1/i1', { team: 'T1', id: 'i1' }));
    const remove = () => outcome(records.delete('T1/i1'));

    await expect.poll(write).toBe('done');
    expect(await isThere()).toBe(1);
    replica.freeze();
    expect(await write()).toBe('late');
    expect(await remove()).toBe('late');
    // A second try finds nothing left to delete, and is in doubt all the same.
    expect(await remove()).toBe('late');
    replica.thaw();
    await expect.poll(remove).toBe('done');
    expect(await isThere()).toBe(0);
  });
});
