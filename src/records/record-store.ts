import type { KeyvStoreAdapter } from 'keyv';

/** A record as an engine keeps it. Without a `text` there is no record. */
export interface StoredText {
  namespace: string;
  key: string;
  text: string | undefined;
}

/** Where an engine keeps the texts of records. Every call throws what the engine throws. */
export interface RecordStore {
  /** The texts of these records, in this order. */
  read(namespace: string, keys: string[]): Promise<(string | undefined)[]>;
  /** Keys and texts in pages: all, or only keys that begin with `${group}/`. A caller may write between two pages. */
  pages(namespace: string, group?: string): AsyncIterable<{ key: string; text: string }[]>;
  /**
   * Writes and deletes all of `written` in one atomic step, if nothing in `read` has changed. Resolves to whether it
   * wrote.
   */
  commit(read: StoredText[], written: StoredText[]): Promise<boolean>;
}

/** One namespace of the records for keyv. No record expires. */
export function createKeyvAdapter({ read, pages, commit }: RecordStore, namespace: string): KeyvStoreAdapter {
  const adapter: KeyvStoreAdapter = {
    opts: {},
    namespace,
    on: () => adapter,
    get: async (key) => (await read(namespace, [key]))[0] as never,
    getMany: (keys) => read(namespace, keys) as Promise<never>,
    set: (key: string, text: string) => commit([], [{ namespace, key, text }]),
    async delete(key) {
      const [before] = await read(namespace, [key]);
      await commit([], [{ namespace, key, text: undefined }]);
      return before !== undefined;
    },
    async clear() {
      for await (const page of pages(namespace)) {
        await commit(
          [],
          page.map(({ key }) => ({ namespace, key, text: undefined })),
        );
      }
    },
  };
  return adapter;
}
