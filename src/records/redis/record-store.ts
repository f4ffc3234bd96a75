import { STEP_MS, withTimeout } from '../../store/redis/ask.ts';
import { expectConfirmed, sendConfirmed } from '../../store/redis/confirmed.ts';
import type { RedisClient } from '../../store/redis/connect.ts';
import { EPOCH_KEY } from '../../store/redis/epoch.ts';
import { otherEpochError } from '../../store/redis/errors.ts';
import { PREFIX } from '../../store/redis/prefix.ts';
import { AS_BYTES } from '../../store/redis/reconnecting-client.ts';
import type { RecordStore } from '../record-store.ts';
import { createReadTogether } from './read-together.ts';
import { bytesOf, textOf } from './stored-bytes.ts';

const PAGE = 100;

/*
 * KEYS: the epoch's key; the keys of the records that were read; for each write the namespace's list of keys and the
 * record's key. ARGV: the epoch; the number of records that were read; their texts; for each write its key and text. Each
 * text has `=` in front. An empty word means no record.
 */
const COMMIT = `
local epoch = redis.call('GET', KEYS[1])
if epoch ~= ARGV[1] then return { epoch } end
local reads = tonumber(ARGV[2])
for i = 1, reads do
  local text = redis.call('GET', KEYS[1 + i])
  if (text and '=' .. text or '') ~= ARGV[2 + i] then return 'changed' end
end
for i = reads + 1, #ARGV - 2, 2 do
  local key, text, keys, record = ARGV[2 + i], ARGV[3 + i], KEYS[1 + i], KEYS[2 + i]
  if text == '' then
    redis.call('ZREM', keys, key)
    -- WAIT waits only for writes of this connection: write something, if another one has deleted the record.
    if redis.call('DEL', record) == 0 then redis.call('SET', KEYS[1], epoch) end
  else
    redis.call('ZADD', keys, 0, key)
    redis.call('SET', record, string.sub(text, 2))
  end
end
return 'written'`;
/*
 * Reads a page of keys and their values, and the epoch. KEYS: the list of keys, the epoch's key. ARGV: the range, its size,
 * the prefix of all records.
 */
const PAGE_OF = `local keys = redis.call('ZRANGE', KEYS[1], ARGV[1], ARGV[2], 'BYLEX', 'LIMIT', 0, ARGV[3])
local records = { KEYS[2] }
for i, key in ipairs(keys) do records[i + 1] = ARGV[4] .. key end
return { keys, redis.call('MGET', unpack(records)) }`;

/** The name of a namespace's list of keys: a sorted set with equal scores, which Redis orders by the keys' bytes. */
export function keyListKey(namespace: string): string {
  return `${PREFIX}keys-of:${namespace}`;
}

/** The key of a record in Redis, as @keyv/redis names it. */
export function recordKey(namespace: string, key: string): string {
  return `${PREFIX}${namespace}::${key}`;
}

/**
 * Records in Redis. Each call has a deadline, and throws StoreTroubleError `emptied` or `upgraded` if the store's epoch is
 * another one. An ordered list of their keys is beside the records. Without that list, the bot would have to scan all
 * keys of the server, mostly the ledger's. A write counts once `replicas` have confirmed it.
 */
export function createRedisRecords(
  client: RedisClient,
  { epoch, replicas }: { epoch: string; replicas: number },
): RecordStore {
  const readTogether = createReadTogether(client, epoch);
  const marked = (text: string | undefined) =>
    text === undefined ? '' : Buffer.concat([Buffer.from('='), bytesOf(text)]);

  return {
    read: (namespace, all) => readTogether(all.map((key) => recordKey(namespace, key))),
    async *pages(namespace, group) {
      const [list, start] = [keyListKey(namespace), recordKey(namespace, '')];
      // In the order of bytes, `0` comes right after the slash.
      const before = group === undefined ? '+' : `(${group}0`;
      for (let after = group === undefined ? '-' : `(${group}/`; ; ) {
        const script = ['EVAL', PAGE_OF, '2', list, EPOCH_KEY, after, before, String(PAGE), start];
        const answer = await withTimeout(STEP_MS, 'records', client.sendCommand(script, AS_BYTES));
        const [keys, all] = answer as [Buffer[], (Buffer | null)[]];
        const [foundEpoch, ...texts] = all.map((bytes) => bytes && textOf(bytes));
        const found = keys.map(textOf);
        // Nothing is there: somebody may have emptied the store.
        if (found.length === 0 && foundEpoch !== epoch) throw otherEpochError(epoch, foundEpoch);
        yield found.flatMap((key, i) => (typeof texts[i] === 'string' ? [{ key, text: texts[i] }] : []));
        const last = found.at(-1);
        if (last === undefined || found.length < PAGE) return;
        after = `(${last}`;
      }
    },
    async commit(read, written) {
      const keys = [
        EPOCH_KEY,
        ...read.map(({ namespace, key }) => recordKey(namespace, key)),
        ...written.flatMap(({ namespace, key }) => [keyListKey(namespace), recordKey(namespace, key)]),
      ];
      const values = [
        epoch,
        String(read.length),
        ...read.map(({ text }) => marked(text)),
        ...written.flatMap(({ key, text }) => [key, marked(text)]),
      ];
      const script = ['EVAL', COMMIT, String(keys.length), ...keys, ...values];
      const sent = sendConfirmed(client, script, replicas);
      const [outcome, confirmed] = await withTimeout(STEP_MS, 'records', sent);
      if (Array.isArray(outcome)) throw otherEpochError(epoch, outcome[0]);
      if (outcome !== 'written') return false;
      expectConfirmed(confirmed, replicas);
      return true;
    },
  };
}
