import { type Ask, createAsk } from './ask.ts';
import type { RedisClient } from './connect.ts';

/** How long a page of keys may take, in ms. */
const PAGE_MS = 10_000;
/** How many keys one command lists or removes. */
const PAGE = 1000;

/** Every key that begins with a prefix, each once. */
export async function* scanKeys(client: RedisClient, prefix: string): AsyncIterable<string> {
  const ask = createAsk(client, 'keys', PAGE_MS);
  const seen = new Set<string>();
  let cursor = '0';
  do {
    const page = await ask('SCAN', cursor, 'MATCH', `${prefix}*`, 'COUNT', String(PAGE));
    const [next, keys] = page as [string, string[]];
    yield* new Set(keys).difference(seen);
    for (const key of keys) seen.add(key);
    cursor = next;
  } while (cursor !== '0');
}

/** Removes keys in batches. The keys may come from a `scanKeys` that still runs. */
export async function unlinkKeys(ask: Ask, keys: AsyncIterable<string> | Iterable<string>): Promise<void> {
  for await (const batch of inBatches(keys, PAGE)) await ask('UNLINK', ...batch);
}

/** All of these, in lists of at most `size`. */
export async function* inBatches<T>(all: AsyncIterable<T> | Iterable<T>, size: number): AsyncIterable<T[]> {
  let batch: T[] = [];
  for await (const one of all) {
    batch.push(one);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
