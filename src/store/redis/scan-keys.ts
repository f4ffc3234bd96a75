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
  for (let cursor = '0'; ; ) {
    const page = await ask('SCAN', cursor, 'MATCH', `${prefix}*`, 'COUNT', String(PAGE));
    const [next, keys] = page as [string, string[]];
    for (const key of keys) {
      if (seen.has(key)) continue;
      seen.add(key);
      yield key;
    }
    cursor = next;
    if (cursor === '0') return;
  }
}

/** Removes keys in batches. The keys may come from a `scanKeys` that still runs. */
export async function unlinkKeys(ask: Ask, keys: AsyncIterable<string> | Iterable<string>): Promise<void> {
  const batch: string[] = [];
  for await (const key of keys) {
    batch.push(key);
    if (batch.length === PAGE) await ask('UNLINK', ...batch.splice(0));
  }
  if (batch.length > 0) await ask('UNLINK', ...batch);
}
