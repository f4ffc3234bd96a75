import type { z } from 'zod';
import type { RecordStore } from './record-store.ts';

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

/** Records of one kind. */
export type Namespace<T> = ReturnType<typeof createNamespace<T>>;

/** In a stored text, a second colon is before each word that begins with one. */
const HAS_COLON_FIRST = /[[:,]":/;

function serialize(value: unknown): string {
  return JSON.stringify({ value }, (_, one) =>
    typeof one === 'string' && one.startsWith(':') ? `:${one}` : one,
  );
}

/** The value in a stored text; `false`, which no schema takes, if the text is no JSON. */
function valueIn(text: string): unknown {
  const unescaped = (_: string, value: unknown) =>
    typeof value === 'string' && value.startsWith(':') ? value.slice(1) : value;
  try {
    // To look at each value takes four times as long.
    return JSON.parse(text, HAS_COLON_FIRST.test(text) ? unescaped : undefined)?.value;
  } catch {
    return false;
  }
}

/**
 * Typed access to one namespace; what is read is checked against `schema`. `skipsDamaged`: a damaged record counts as
 * none also where it alone is read, so that people can write it again. Of two writes the last one wins; what depends on a
 * read is written in one step (`step.ts`). Every call throws what the store throws.
 */
export function createNamespace<T>(
  schema: z.ZodType<T>,
  { name, store, skipsDamaged = false }: { name: string; store: RecordStore; skipsDamaged?: boolean },
  onDamaged: (error: RecordError) => void,
) {
  function parse(key: string, text: string): T {
    const parsed = schema.safeParse(valueIn(text));
    if (parsed.success) return parsed.data;
    const fields = parsed.error.issues.map((issue) => issue.path.join('.')).filter(Boolean);
    throw new RecordError(name, key, fields);
  }

  /** The record for a list. If it is damaged, calls `onDamaged` and returns nothing. */
  function parseListed(key: string, text: string): T[] {
    try {
      return [parse(key, text)];
    } catch (error) {
      if (!(error instanceof RecordError)) throw error;
      onDamaged(error);
      return [];
    }
  }

  async function stored(key: string): Promise<{ text: string | undefined; record: T | undefined }> {
    const [text] = await store.read(name, [key]);
    if (text === undefined) return { text, record: undefined };
    return { text, record: skipsDamaged ? parseListed(key, text)[0] : parse(key, text) };
  }

  return {
    name,
    /** The record, or undefined. @throws RecordError if it is damaged, unless that counts as none: then it is reported. */
    get: async (key: string) => (await stored(key)).record,
    async set(key: string, record: T): Promise<void> {
      await store.commit([], [{ namespace: name, key, text: serialize(record) }]);
    },
    async delete(key: string): Promise<void> {
      await store.commit([], [{ namespace: name, key, text: undefined }]);
    },
    /** The records that exist of these keys, in no promised order. Damaged ones are reported and left out, as in `list`. */
    async getMany(keys: string[]): Promise<T[]> {
      if (keys.length === 0) return [];
      const texts = await store.read(name, keys);
      return keys.flatMap((key, i) => (texts[i] === undefined ? [] : parseListed(key, texts[i])));
    },
    /**
     * The records whose keys begin with `${group}/`, mostly a workspace's, in no promised order; without `group` all of
     * them. A damaged one is reported and left out: the others must still be seen.
     */
    async list(group?: string): Promise<T[]> {
      const records: T[] = [];
      for await (const page of store.pages(name, group)) {
        for (const { key, text } of page) records.push(...parseListed(key, text));
      }
      return records;
    },
    /** The keys that begin with `${group}/`, those of damaged records too. */
    async keys(group: string): Promise<string[]> {
      const keys: string[] = [];
      for await (const page of store.pages(name, group)) keys.push(...page.map(({ key }) => key));
      return keys;
    },
    /** The record's address in the store. Its secrets are sealed for this address. */
    addressOf: (key: string) => `${name}/${key}`,
    /** The record, and the text that the store keeps of it. A text without a record is damaged. Throws as `get` does. */
    stored,
    /** For steps: the text that the store keeps of a record. */
    textOf: (record: T) => serialize(record),
  };
}
