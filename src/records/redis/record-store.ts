import { createAsk } from '../../store/redis/ask.ts';
import { expectConfirmed, sendConfirmed } from '../../store/redis/confirmed.ts';
import type { RedisClient } from '../../store/redis/connect.ts';
import { epochKey, expectEpoch } from '../../store/redis/epoch.ts';
import { otherEpochError } from '../../store/redis/errors.ts';
import { LEDGER_PREFIX, PREFIX } from '../../store/redis/prefix.ts';
import { STEP_MS } from '../../store/redis/script-runner.ts';
import { withTimeout } from '../../store/redis/with-timeout.ts';
import type { RecordStore } from '../record-store.ts';

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
    redis.call('DEL', record)
  else
    redis.call('ZADD', keys, 0, key)
    redis.call('SET', record, string.sub(text, 2))
  end
end
return 'written'`;
/* Reads a page of keys and their values. KEYS: the list of keys. ARGV: the range, its size, the prefix of all records. */
const PAGE_OF = `local keys = redis.call('ZRANGE', KEYS[1], ARGV[1], ARGV[2], 'BYLEX', 'LIMIT', 0, ARGV[3])
if #keys == 0 then return { keys, keys } end
local records = {}
for i, key in ipairs(keys) do records[i] = ARGV[4] .. key end
return { keys, redis.call('MGET', unpack(records)) }`;

/** Names the list of a namespace's keys: a sorted set with equal scores, which Redis orders by the bytes of the keys. */
export function keyListKey(namespace: string): string {
  return `${PREFIX}keys-of:${namespace}`;
}

/** The key of a record in Redis, as @keyv/redis names it. */
export function recordKey(namespace: string, key: string): string {
  return `${PREFIX}${namespace}::${key}`;
}

/**
 * Records in Redis. Each call has a deadline, and throws RedisStepError `emptied` or `upgraded` if the store's epoch is
 * another one. Beside the records there is an ordered list of their keys: without that, the bot would have to scan all keys
 * of the server, and most of them are the ledger's. A write counts once `replicas` have confirmed it.
 */
export function createRedisRecords(
  client: RedisClient,
  { epoch, replicas }: { epoch: string; replicas: number },
): RecordStore {
  const ask = createAsk(client, 'records');
  /** If a record is missing, somebody may have emptied the store. */
  const checkStore = () => expectEpoch(client, LEDGER_PREFIX, epoch);
  const marked = (text: string | undefined) => (text === undefined ? '' : `=${text}`);

  return {
    async read(namespace, all) {
      const texts = (await ask('MGET', ...all.map((key) => recordKey(namespace, key)))) as (string | null)[];
      if (texts.includes(null)) await checkStore();
      return texts.map((text) => text ?? undefined);
    },
    async *pages(namespace, group) {
      const [list, start] = [keyListKey(namespace), recordKey(namespace, '')];
      // In the order of bytes, `0` comes right after the slash.
      const before = group === undefined ? '+' : `(${group}0`;
      for (let after = group === undefined ? '-' : `(${group}/`; ; ) {
        const answer = await ask('EVAL', PAGE_OF, '1', list, after, before, String(PAGE), start);
        const [found, texts] = answer as [string[], (string | null)[]];
        if (found.length === 0) await checkStore();
        yield found.flatMap((key, i) => (typeof texts[i] === 'string' ? [{ key, text: texts[i] }] : []));
        const last = found.at(-1);
        if (last === undefined || found.length < PAGE) return;
        after = `(${last}`;
      }
    },
    async commit(read, written) {
      const keys = [
        epochKey(LEDGER_PREFIX),
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
