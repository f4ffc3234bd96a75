import type { Namespace } from './namespace.ts';
import type { RecordStore, StoredText } from './record-store.ts';

/** Reads records and says what to write. After a `set`, `get` still returns the record as it was before. */
export interface Step {
  get<T>(of: Namespace<T>, key: string): Promise<T | undefined>;
  set<T>(of: Namespace<T>, key: string, record: T): void;
  delete<T>(of: Namespace<T>, key: string): void;
}

/**
 * Runs `work` as one step: all of its writes count, or none. If a record that it read has changed meanwhile, here or in
 * another process, `work` runs again. So it must do nothing but read and write records.
 */
export type InOneStep = <T>(work: (step: Step) => Promise<T>) => Promise<T>;

export function createInOneStep({ commit }: RecordStore): InOneStep {
  return async (work) => {
    for (;;) {
      const read = new Map<string, StoredText>();
      const written = new Map<string, () => Promise<StoredText>>();
      const write = <T>(of: Namespace<T>, key: string, text: () => Promise<string | undefined>) =>
        void written.set(of.addressOf(key), async () => ({ namespace: of.name, key, text: await text() }));
      const answer = await work({
        async get(of, key) {
          const { text, record } = await of.stored(key);
          const address = of.addressOf(key);
          // If a record is read twice, the first text counts: if it changed in between, the commit must fail.
          if (!read.has(address)) read.set(address, { namespace: of.name, key, text });
          return record;
        },
        set: (of, key, record) => write(of, key, () => of.textOf(record)),
        delete: (of, key) => write(of, key, async () => undefined),
      });
      if (written.size === 0) return answer;
      const writes = await Promise.all([...written.values()].map((write) => write()));
      if (await commit([...read.values()], writes)) return answer;
    }
  };
}
