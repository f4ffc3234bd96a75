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

/* A page of keys and their values. KEYS: the list of keys; ARGV: the range, its size, and the prefix of each record. */
const PAGE_OF = `local keys = redis.call('ZRANGE', KEYS[1], ARGV[1], ARGV[2], 'BYLEX', 'LIMIT', 0, ARGV[3])
if #keys == 0 then return { keys, keys } end
local records = {}
for i, key in ipairs(keys) do records[i] = ARGV[4] .. key end
return { keys, redis.call('MGET', unpack(records)) }`;

/*
 * KEYS: the epoch's key, the keys of the records that were read, then for each write the namespace's list of keys and the
 * record's key. ARGV: the epoch, how many records were read, their texts, then for each write its key and text. A text has
 * `=` in front; an empty word means that there is no record.
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

/** Names the list of a namespace's keys: a sorted set of equal scores, so in the order of their bytes. */
export function keyListKey(namespace: string): string {
  return `${PREFIX}keys-of:${namespace}`;
}

/** Where a record is. */
export function recordKey(namespace: string, key: string): string {
  return `${PREFIX}${namespace}::${key}`;
}

/**
 * Records as strings in Redis, and beside them each namespace's keys in order. Without that list, the bot would have to scan
 * all keys of the server, most of which are the ledger's. Where a commit resolves to true, `replicas` have it too. All calls
 * throw RedisStepError `emptied` or `upgraded` where it matters that the ledger has another `epoch`.
 */
export function createRedisRecordStore(
  client: RedisClient,
  { epoch, replicas }: { epoch: string; replicas: number },
): RecordStore {
  /** A record that is missing may have been there before the store was emptied. */
  const checkStore = () => expectEpoch(client, LEDGER_PREFIX, epoch);
  const marked = (text: string | undefined) => (text === undefined ? '' : `=${text}`);

  return {
    async read(namespace, keys) {
      const ask = createAsk(client, `records of ${namespace}`);
      const texts = await ask('MGET', ...keys.map((key) => recordKey(namespace, key)));
      const found = (texts as (string | null)[]).map((text) => text ?? undefined);
      if (found.includes(undefined)) await checkStore();
      return found;
    },
    async *pages(namespace, group) {
      const ask = createAsk(client, `records of ${namespace}`);
      const [keys, records] = [keyListKey(namespace), recordKey(namespace, '')];
      // In Redis's order of bytes `0` comes after the slash.
      const before = group === undefined ? '+' : `(${group}0`;
      for (let after = group === undefined ? '-' : `(${group}/`; ; ) {
        const answer = await ask('EVAL', PAGE_OF, '1', keys, after, before, String(PAGE), records);
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
