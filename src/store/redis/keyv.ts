import type { RecordStore } from '../records.ts';
import type { Connection } from './connect.ts';
import { STEP_MS } from './run.ts';
import { within } from './within.ts';

const PAGE = 100;

/** Where the keys of a namespace's records stand: a sorted set of equal scores, so in the order of their bytes. */
export function keysKey(prefix: string, namespace: string): string {
  return `${prefix}keys-of:${namespace}`;
}

/**
 * A keyv storage adapter for one namespace: values through @keyv/redis as `prefix + namespace::key`, each call with a
 * deadline, and beside them the namespace's keys in order. Without those a list would have to scan all keys of the
 * server, of which the ledger has many more than the records. `checkStore` throws where the store was emptied: what is
 * missing then is not to be taken for what was never there.
 */
export function createRedisKeyv(
  { client, adapter: open }: Connection,
  { prefix, namespace, checkStore }: { prefix: string; namespace: string; checkStore(): Promise<void> },
): RecordStore {
  const values = open(`${prefix}${namespace}`);
  const keys = keysKey(prefix, namespace);

  async function call<T>(answer: Promise<T>): Promise<T> {
    const [found] = await within(STEP_MS, `records of ${namespace}`, Promise.all([answer, checkStore()]));
    return found;
  }

  function ask(...command: string[]): Promise<string[]> {
    return call(client.sendCommand(command)) as Promise<string[]>;
  }

  const adapter: RecordStore = {
    opts: { url: '' },
    namespace: undefined,
    on: () => adapter,
    get: (key) => call(values.get(key)) as Promise<never>,
    getMany: (all) => call(values.getMany(all)) as Promise<never>,
    has: (key) => call(values.has(key)),
    set: async (key: string, value: string, ttl?: number) => {
      // The key first: one that names nothing does no harm, a record that is in no list does.
      await ask('ZADD', keys, '0', key);
      await call(values.set(key, value, ttl));
      return true;
    },
    delete: async (key) => {
      const deleted = await call(values.delete(key));
      await ask('ZREM', keys, key);
      return deleted;
    },
    deleteMany: async (all) => {
      const deleted = await call(values.deleteMany(all));
      if (all.length > 0) await ask('ZREM', keys, ...all);
      return deleted;
    },
    clear: async () => {
      await adapter.deleteMany?.(await ask('ZRANGE', keys, '0', '-1'));
    },
    async *keys(group) {
      // In Redis's order of bytes `0` comes after the slash.
      const before = group === undefined ? '+' : `(${group}0`;
      for (let after = group === undefined ? '-' : `(${group}/`; ; ) {
        const page = await ask('ZRANGE', keys, after, before, 'BYLEX', 'LIMIT', '0', String(PAGE));
        yield page;
        const last = page.at(-1);
        if (last === undefined) return;
        after = `(${last}`;
      }
    },
  };
  return adapter;
}
