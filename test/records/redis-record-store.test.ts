import { describe, expect, onTestFinished, test } from 'vitest';
import { createNamespace, type RecordError } from '../../src/records/namespace.ts';
import { createRedisRecordStore, recordKey } from '../../src/records/redis/record-store.ts';
import { AccountInstances } from '../../src/records/schema.ts';
import { connect } from '../../src/store/redis/connect.ts';
import { epochKey } from '../../src/store/redis/epoch.ts';
import { LEDGER_PREFIX } from '../../src/store/redis/prefix.ts';
import { startRedis, withoutRedis } from '../helpers/redis-server.ts';

const EPOCH = epochKey(LEDGER_PREFIX);

/** Records on a Redis of their own. */
async function open() {
  const server = await startRedis();
  const connection = await connect(server.url);
  onTestFinished(async () => {
    connection.close();
    await server.close();
  });
  await connection.client.sendCommand(['SET', EPOCH, 'e']);
  const damages: RecordError[] = [];
  const store = createRedisRecordStore(connection.client, {
    epoch: 'e',
    replicas: 0,
  });
  const records = createNamespace(AccountInstances, { name: 'payers', store }, (error) => {
    damages.push(error);
  });
  return { records, damages, connection };
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

  test('leaves a damaged record out, and tells of it', async () => {
    const { records, damages, connection } = await open();
    for (const id of ['i1', 'i2', 'i3']) await records.set(`T1/${id}`, { team: 'T1', id });
    await connection.client.sendCommand(['SET', recordKey('payers', 'T1/i2'), 'no JSON']);
    expect((await records.list('T1')).map(({ id }) => id)).toEqual(['i1', 'i3']);
    expect(damages.map(({ key }) => key)).toEqual(['T1/i2']);
  });

  test('that is empty asks whether the store was emptied', async () => {
    const { records, connection } = await open();
    await records.set('T1/i1', { team: 'T1', id: 'i1' });
    expect(await records.list('T2')).toEqual([]);
    await connection.client.sendCommand(['DEL', EPOCH]);
    expect(await records.list('T1')).toHaveLength(1);
    const emptied = { name: 'RedisStepError', code: 'emptied' };
    await expect(records.list('T2')).rejects.toMatchObject(emptied);
    await expect(records.get('T2/i1')).rejects.toMatchObject(emptied);
  });

  test('takes and loses no record after the store was emptied', async () => {
    const { records, connection } = await open();
    await records.set('T1/i1', { team: 'T1', id: 'i1' });
    await connection.client.sendCommand(['DEL', EPOCH]);
    const emptied = { name: 'RedisStepError', code: 'emptied' };
    await expect(records.set('T1/i2', { team: 'T1', id: 'i2' })).rejects.toMatchObject(emptied);
    await expect(records.delete('T1/i1')).rejects.toMatchObject(emptied);
    expect(await records.list('T1')).toEqual([{ team: 'T1', id: 'i1' }]);
  });
});
