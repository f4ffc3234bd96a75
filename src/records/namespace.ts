import { Keyv } from 'keyv';
import type { z } from 'zod';
import { createKeyvAdapter, type RecordStore } from './record-store.ts';

/** A stored record does not fit its schema. The message names the record and the fields, never their content. */
export class RecordError extends Error {
  override readonly name = 'RecordError';
  readonly code = 'record_damaged';

  constructor(namespace: string, key: string, fields: string[]) {
    super(`The stored record ${namespace}/${key} is damaged (${fields.join(', ') || 'as a whole'}).`);
  }
}

/** Records of one kind. */
export type Namespace<T> = ReturnType<typeof createNamespace<T>>;

/** Finds a text that begins with a colon: keyv writes a second colon before it. */
const HAS_COLON_FIRST = /[[:,]":/;

/**
 * The value in a text that keyv wrote; `false`, which fits no schema, if the text is no JSON. keyv's own parser visits
 * every value of every record, and takes four times as long.
 */
function valueIn(text: string): unknown {
  const withoutColon = (_name: string, value: unknown) =>
    typeof value === 'string' && value.startsWith(':') ? value.slice(1) : value;
  try {
    return JSON.parse(text, HAS_COLON_FIRST.test(text) ? withoutColon : undefined)?.value;
  } catch {
    return false;
  }
}

/**
 * Typed access to one keyv namespace. Every read checks the record against `schema`. `skipsDamaged`: `get` reports a
 * damaged record and returns undefined, so that people can write it again. Of two writes the last one wins: if a write
 * depends on a read, use a step (`step.ts`). Every call throws what the store throws.
 */
export function createNamespace<T>(
  schema: z.ZodType<T>,
  { name, store, skipsDamaged = false }: { name: string; store: RecordStore; skipsDamaged?: boolean },
  onDamaged: (error: RecordError) => void,
) {
  // The store keeps namespaces apart itself. Without throwOnErrors, a failed write would resolve to `false`.
  const adapter = createKeyvAdapter(store, name);
  const keyv = new Keyv({ store: adapter, namespace: name, useKeyPrefix: false, throwOnErrors: true });

  function parse(key: string, text: string): T | RecordError {
    const parsed = schema.safeParse(valueIn(text));
    if (parsed.success) return parsed.data;
    const fields = parsed.error.issues.map((issue) => issue.path.join('.')).filter(Boolean);
    return new RecordError(name, key, fields);
  }

  /** The record for a list. Reports a damaged record and returns an empty array. */
  function parseListed(key: string, text: string): T[] {
    const parsed = parse(key, text);
    if (!(parsed instanceof RecordError)) return [parsed];
    onDamaged(parsed);
    return [];
  }

  /**
   * The record, and its text in the store. A text without a record means that the record is damaged.
   * @throws RecordError as `get` does
   */
  async function stored(key: string): Promise<{ text: string | undefined; record: T | undefined }> {
    const [text] = await store.read(name, [key]);
    if (text === undefined) return { text, record: undefined };
    const record = skipsDamaged ? parseListed(key, text)[0] : parse(key, text);
    if (record instanceof RecordError) throw record;
    return { text, record };
  }

  return {
    name,
    stored,
    /**
     * The record, or undefined. @throws RecordError if the stored record is damaged; with `skipsDamaged` it is undefined
     * instead, and reported as by `list`
     */
    get: async (key: string) => (await stored(key)).record,
    async set(key: string, record: T): Promise<void> {
      await keyv.set(key, record);
    },
    /** Resolves to whether there was a record to delete. */
    delete: (key: string): Promise<boolean> => keyv.delete(key),
    /** The existing records of these keys, in no promised order. Reports damaged records and leaves them out. */
    async getMany(keys: string[]): Promise<T[]> {
      if (keys.length === 0) return [];
      const texts = await store.read(name, keys);
      return keys.flatMap((key, i) => (texts[i] === undefined ? [] : parseListed(key, texts[i])));
    },
    /**
     * The records whose keys begin with `${group}/`, or all of them, in no promised order. A group is mostly a workspace.
     * Reports damaged records and leaves them out, so that people still see the others.
     */
    async list(group?: string): Promise<T[]> {
      const pages = Array.fromAsync(store.pages(name, group), (page) =>
        page.flatMap(({ key, text }) => parseListed(key, text)),
      );
      return (await pages).flat();
    },
    /** The keys that begin with `${group}/`, or all of them, also of damaged records. */
    async keys(group?: string): Promise<string[]> {
      const pages = Array.fromAsync(store.pages(name, group), (page) => page.map(({ key }) => key));
      return (await pages).flat();
    },
    /** The record's address in the store. Secrets in the record are sealed for it. */
    addressOf: (key: string) => `${name}/${key}`,
    /** The text under which the store would keep this record. */
    textOf: async (record: T) => String(await keyv.serializeData({ value: record })),
  };
}
