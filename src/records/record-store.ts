/** A record as an engine keeps it; without `text` there is no record. */
export interface StoredText {
  namespace: string;
  key: string;
  text: string | undefined;
}

/** Where an engine keeps the texts of records, by namespace and key. Every call throws what the engine throws. */
export interface RecordStore {
  /** The texts of these keys, in their order. */
  read(namespace: string, keys: string[]): Promise<(string | undefined)[]>;
  /** Keys and texts in pages: all, or those whose keys begin with `${group}/`. A caller may write between two pages. */
  pages(namespace: string, group?: string): AsyncIterable<{ key: string; text: string }[]>;
  /** Writes and deletes all of `written` in one atomic step, if all of `read` is as it was read. Answers whether it did. */
  commit(read: StoredText[], written: StoredText[]): Promise<boolean>;
}
