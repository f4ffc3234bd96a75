import { Keyv, type KeyvStoreAdapter } from 'keyv';
import type { z } from 'zod';

/** Where the records of one kind are kept: a keyv storage adapter that can also list its records. */
export type RecordStore = KeyvStoreAdapter &
  Required<Pick<KeyvStoreAdapter, 'getMany'>> & {
    /** Keys and texts in pages: all, or those whose keys begin with `${group}/`. A caller may write between two pages. */
    pages(group?: string): AsyncIterable<{ key: string; text: string }[]>;
  };

/** A stored record is not what its namespace should hold. Names its address and fields, never their content. */
export class RecordError extends Error {
  override readonly name = 'RecordError';
  readonly code = 'record_damaged';
  readonly namespace: string;
  readonly key: string;

  constructor(namespace: string, key: string, fields: string[]) {
    super(`The stored record ${namespace}/${key} is damaged (${fields.join(', ') || 'as a whole'}).`);
    this.namespace = namespace;
    this.key = key;
  }
}

/**
 * Records of one kind. Of two writes the last one wins; what depends on a read is written in one step (`step.ts`).
 * Every call throws what the store throws.
 */
export type Namespace<T> = {
  name: string;
  /**
   * The record, or undefined. @throws RecordError if what is stored does not fit the schema, unless a damaged record counts
   * as none here: then it is reported and left out, as in `list`
   */
  get(key: string): Promise<T | undefined>;
  set(key: string, record: T): Promise<void>;
  /** Resolves to whether there was a record to delete. */
  delete(key: string): Promise<boolean>;
  /**
   * The records whose keys begin with `${group}/`, mostly a workspace's, in no promised order; without `group` all of
   * them. A damaged one is reported and left out: the others must still be seen.
   */
  list(group?: string): Promise<T[]>;
  /** The keys that begin with `${group}/`, those of damaged records too. */
  keys(group: string): Promise<string[]>;
  /** The records that exist of these keys, in no promised order. Damaged ones are reported and left out, as in `list`. */
  getMany(keys: string[]): Promise<T[]>;
  /** The record's address in the store. Its secrets are sealed for this address. */
  addressOf(key: string): string;
  /**
   * The record with the text that the store keeps of it. With a text and no record, it is damaged and counts as none.
   * @throws RecordError as `get` does
   */
  stored(key: string): Promise<{ text: string | undefined; record: T | undefined }>;
  /** For steps: the text that the store keeps of a record. */
  textOf(record: T): Promise<string>;
};

/** keyv writes a second colon before a text that begins with one. */
const HAS_COLON_FIRST = /[[:,]":/;

/** Reads what keyv wrote. keyv's own parser visits every value of every record, which takes four times as long. */
function deserialize(json: string) {
  if (!HAS_COLON_FIRST.test(json)) return JSON.parse(json);
  return JSON.parse(json, (_, value) =>
    typeof value === 'string' && value.startsWith(':') ? value.slice(1) : value,
  );
}

/** The value in a stored text; `false`, which no schema takes, if the text is no JSON. */
function valueIn(text: string): unknown {
  try {
    return deserialize(text)?.value;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/**
 * Typed access to one keyv namespace; what is read is checked against `schema`. `skipsDamaged`: a damaged record counts as
 * none also where it alone is read, so that people can write it again.
 */
export function createNamespace<T extends z.ZodType>(
  schema: T,
  { name, store, skipsDamaged = false }: { name: string; store: RecordStore; skipsDamaged?: boolean },
  onDamaged: (error: RecordError) => void,
): Namespace<z.output<T>> {
  // The adapters keep namespaces apart themselves; without throwOnErrors a failed write would answer `false`.
  const keyv = new Keyv({ store, namespace: name, useKeyPrefix: false, throwOnErrors: true });

  function parse(key: string, text: string): z.output<T> {
    const parsed = schema.safeParse(valueIn(text));
    if (parsed.success) return parsed.data;
    throw new RecordError(
      name,
      key,
      parsed.error.issues.map((issue) => issue.path.join('.')).filter(Boolean),
    );
  }

  /** The record for a list. If it is damaged, calls `onDamaged` and returns nothing. */
  function parseListed(key: string, text: string): z.output<T>[] {
    try {
      return [parse(key, text)];
    } catch (error) {
      if (!(error instanceof RecordError)) throw error;
      onDamaged(error);
      return [];
    }
  }

  async function stored(key: string) {
    const text = (await store.get(key)) as string | undefined;
    if (text === undefined) return { text, record: undefined };
    return { text, record: skipsDamaged ? parseListed(key, text)[0] : parse(key, text) };
  }

  return {
    name,
    get: async (key) => (await stored(key)).record,
    async set(key, record) {
      await keyv.set(key, record);
    },
    delete: (key) => keyv.delete(key),
    async getMany(keys) {
      if (keys.length === 0) return [];
      const texts = (await store.getMany(keys)) as (string | undefined)[];
      return keys.flatMap((key, i) => (texts[i] === undefined ? [] : parseListed(key, texts[i])));
    },
    async list(group) {
      const records: z.output<T>[] = [];
      for await (const page of store.pages(group)) {
        for (const { key, text } of page) records.push(...parseListed(key, text));
      }
      return records;
    },
    async keys(group) {
      const keys: string[] = [];
      for await (const page of store.pages(group)) keys.push(...page.map(({ key }) => key));
      return keys;
    },
    addressOf: (key) => `${name}/${key}`,
    stored,
    textOf: async (record) => String(await keyv.serializeData({ value: record })),
  };
}
