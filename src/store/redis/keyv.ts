import type { KeyvStoreAdapter } from 'keyv';
import type { Connection } from './connect.ts';
import { STEP_MS } from './run.ts';
import { within } from './within.ts';

const PAGE = 100;

/**
 * A keyv storage adapter for one namespace: values through @keyv/redis as `prefix + namespace::key`, each call with a
 * deadline, and beside them a set of the namespace's keys. Without that set a list would have to scan all keys of the
 * server, of which the ledger has many more than the records. `checkStore` throws where the store was emptied: what is
 * missing then is not to be taken for what was never there.
 */
export function createRedisKeyv(
  { client, adapter: open }: Connection,
  { prefix, namespace, checkStore }: { prefix: string; namespace: string; checkStore(): Promise<void> },
): KeyvStoreAdapter {
  const values = open(`${prefix}${namespace}`);
  const keys = `${prefix}keys-of:${namespace}`;

  async function call<T>(answer: Promise<T>): Promise<T> {
    const [found] = await within(STEP_MS, `records of ${namespace}`, Promise.all([answer, checkStore()]));
    return found;
  }

  function ask(...command: string[]): Promise<string[]> {
    return call(client.sendCommand(command)) as Promise<string[]>;
  }

  const adapter: KeyvStoreAdapter = {
    // keyv offers `iterator()` only for dialects that it knows.
    opts: { dialect: 'redis', url: '' },
    namespace: undefined,
    on: () => adapter,
    get: (key) => call(values.get(key)) as Promise<never>,
    getMany: (all) => call(values.getMany(all)) as Promise<never>,
    has: (key) => call(values.has(key)),
    set: async (key: string, value: string, ttl?: number) => {
      // The key first: one that names nothing does no harm, a record that is in no list does.
      await ask('SADD', keys, key);
      await call(values.set(key, value, ttl));
      return true;
    },
    delete: async (key) => {
      const deleted = await call(values.delete(key));
      await ask('SREM', keys, key);
      return deleted;
    },
    deleteMany: async (all) => {
      const deleted = await call(values.deleteMany(all));
      if (all.length > 0) await ask('SREM', keys, ...all);
      return deleted;
    },
    clear: async () => {
      await adapter.deleteMany?.(await ask('SMEMBERS', keys));
    },
    async *iterator() {
      const all = (await ask('SMEMBERS', keys)).sort();
      for (let from = 0; from < all.length; from += PAGE) {
        const page = all.slice(from, from + PAGE);
        const found = await call(values.getMany<string>(page));
        for (const [i, value] of found.entries()) {
          if (value !== undefined && value !== null) yield [page[i], value] as never;
        }
      }
    },
  };
  return adapter;
}
