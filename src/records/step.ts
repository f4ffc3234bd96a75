import type { Namespace } from './namespace.ts';
import type { RecordStore, StoredText } from './record-store.ts';

/** Reads records and says what to write. After a `set`, `get` still returns the record as it was before. */
export interface Step {
  get<T>(of: Namespace<T>, key: string): Promise<T | undefined>;
  set<T>(of: Namespace<T>, key: string, record: T): void;
  delete<T>(of: Namespace<T>, key: string): void;
}

export type InOneStep = ReturnType<typeof createInOneStep>;

/**
 * Makes the function that runs `work` as one step: all its writes count together, or none. If anything that it read has
 * changed meanwhile, here or in another process, `work` runs again. So it must do nothing but read and write records.
 */
export function createInOneStep({ commit }: RecordStore) {
  return async <T>(work: (step: Step) => Promise<T>): Promise<T> => {
    for (;;) {
      const read = new Map<string, StoredText>();
      const written = new Map<string, StoredText>();
      const answer = await work({
        async get(of, key) {
          const { text, record } = await of.stored(key);
          const address = of.addressOf(key);
          // If a record is read twice, the first text counts: if it changed in between, the commit must fail.
          if (!read.has(address)) read.set(address, { namespace: of.name, key, text });
          return record;
        },
        set(of, key, record) {
          written.set(of.addressOf(key), { namespace: of.name, key, text: of.textOf(record) });
        },
        delete(of, key) {
          written.set(of.addressOf(key), { namespace: of.name, key, text: undefined });
        },
      });
      if (written.size === 0 || (await commit([...read.values()], [...written.values()]))) return answer;
    }
  };
}
