import { createAsk } from '../../store/redis/ask.ts';
import { expectConfirmed, sendConfirmed } from '../../store/redis/confirmed.ts';
import type { RedisClient } from '../../store/redis/connect.ts';
import { STEP_MS } from '../../store/redis/script-runner.ts';
import { withTimeout } from '../../store/redis/with-timeout.ts';
import type { RecordStore } from '../namespace.ts';

const PAGE = 100;

/*
 * Each script changes a record together with its entry in the list of keys. So two processes at once can't leave one
 * without the other. KEYS: the list, then the records. ARGV: the records' keys; for a write also the value and, if the
 * record expires, its time to live in ms.
 */
const SET = `redis.call('ZADD', KEYS[1], 0, ARGV[1])
if ARGV[3] then redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3]) else redis.call('SET', KEYS[2], ARGV[2]) end`;
const DELETE = `redis.call('ZREM', KEYS[1], unpack(ARGV))
return redis.call('DEL', unpack(KEYS, 2))`;
/* Reads a page of keys and their values. KEYS: the list of keys. ARGV: the range, its size, the prefix of all records. */
const PAGE_OF = `local keys = redis.call('ZRANGE', KEYS[1], ARGV[1], ARGV[2], 'BYLEX', 'LIMIT', 0, ARGV[3])
if #keys == 0 then return { keys, keys } end
local records = {}
for i, key in ipairs(keys) do records[i] = ARGV[4] .. key end
return { keys, redis.call('MGET', unpack(records)) }`;

/** Names the list of a namespace's keys: a sorted set with equal scores, which Redis orders by the bytes of the keys. */
export function keyListKey(prefix: string, namespace: string): string {
  return `${prefix}keys-of:${namespace}`;
}

/** The key of a record in Redis, as @keyv/redis names it. */
export function recordKey(prefix: string, namespace: string, key: string): string {
  return `${prefix}${namespace}::${key}`;
}

/**
 * A keyv storage adapter for one namespace. Each call has a deadline. Beside the records, the adapter keeps an ordered
 * list of their keys: without that, the bot would have to scan all keys of the server, and most of them are the ledger's.
 * A write counts once `replicas` have confirmed it. `checkStore` throws if the store was emptied.
 */
export function createRedisKeyv(
  client: RedisClient,
  options: { prefix: string; namespace: string; replicas?: number; checkStore(): Promise<void> },
): RecordStore {
  const { prefix, namespace, replicas = 0, checkStore } = options;
  const keys = keyListKey(prefix, namespace);
  const what = `records of ${namespace}`;
  const ask = createAsk(client, what);
  const addressOf = (key: string) => recordKey(prefix, namespace, key);

  /** If a record is missing, checks whether the store was emptied. */
  async function read(all: string[]): Promise<(string | undefined)[]> {
    const texts = (await ask('MGET', ...all.map(addressOf))) as (string | null)[];
    if (texts.includes(null)) await checkStore();
    return texts.map((text) => text ?? undefined);
  }

  /** Runs a script that writes, and resolves to its answer. */
  async function write(...script: string[]): Promise<unknown> {
    const sent = withTimeout(STEP_MS, what, sendConfirmed(client, ['EVAL', ...script], replicas));
    const [[answer, confirmed]] = await Promise.all([sent, checkStore()]);
    expectConfirmed(confirmed, replicas);
    return answer;
  }

  /** Resolves to whether there was a record to delete. */
  async function deleteAll(all: string[]): Promise<boolean> {
    if (all.length === 0) return false;
    const deleted = await write(DELETE, String(all.length + 1), keys, ...all.map(addressOf), ...all);
    return Number(deleted) > 0;
  }

  const adapter: RecordStore = {
    opts: { url: '' },
    namespace: undefined,
    on: () => adapter,
    get: async (key) => (await read([key]))[0] as never,
    getMany: (all) => read(all) as Promise<never>,
    has: async (key) => (await read([key]))[0] !== undefined,
    set: async (key: string, value: string, ttl?: number) => {
      const lifetime = ttl === undefined ? [] : [String(ttl)];
      // Check before the write, too: an emptied store must take no record.
      await checkStore();
      await write(SET, '2', keys, addressOf(key), key, value, ...lifetime);
      return true;
    },
    delete: (key) => deleteAll([key]),
    deleteMany: (all) => deleteAll(all),
    clear: async () => {
      for await (const page of adapter.pages()) await deleteAll(page.map(({ key }) => key));
    },
    async *pages(group) {
      // In the order of bytes, `0` comes right after the slash.
      const before = group === undefined ? '+' : `(${group}0`;
      for (let after = group === undefined ? '-' : `(${group}/`; ; ) {
        const answer = await ask('EVAL', PAGE_OF, '1', keys, after, before, String(PAGE), addressOf(''));
        const [found, texts] = answer as [string[], (string | null)[]];
        if (found.length === 0) await checkStore();
        yield found.flatMap((key, i) => (typeof texts[i] === 'string' ? [{ key, text: texts[i] }] : []));
        const last = found.at(-1);
        if (last === undefined || found.length < PAGE) return;
        after = `(${last}`;
      }
    },
  };
  return adapter;
}
