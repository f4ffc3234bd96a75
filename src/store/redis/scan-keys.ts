import type { RedisClient } from './connect.ts';
import { withTimeout } from './with-timeout.ts';

/** How long a page of keys may take, in ms. */
const PAGE_MS = 10_000;

/** Every key that begins with a prefix, each once. */
export async function* scanKeys(client: RedisClient, prefix: string): AsyncIterable<string> {
  const seen = new Set<string>();
  for (let cursor = '0'; ; ) {
    const command = ['SCAN', cursor, 'MATCH', `${prefix}*`, 'COUNT', '1000'];
    const [next, keys] = (await withTimeout(PAGE_MS, 'keys', client.sendCommand(command))) as [
      string,
      string[],
    ];
    for (const key of keys) {
      if (seen.has(key)) continue;
      seen.add(key);
      yield key;
    }
    cursor = next;
    if (cursor === '0') return;
  }
}
