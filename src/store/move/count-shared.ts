import type { RedisClient } from '../redis/connect.ts';
import { LEDGER_PREFIX, PREFIX } from '../redis/prefix.ts';
import { within } from '../redis/within.ts';
import { type Counts, MOVE_STEP_MS } from './shared.ts';

/** What is counted: permits, marks of repeats and rests may end meanwhile. */
type Counted = Exclude<keyof Counts, 'permits' | 'marks of repeats' | 'keys that rest'>;

/** What the ledger's keys begin with. */
const KINDS = new Map<string, Counted>([
  ['send', 'sends'],
  ['chunk', 'chunks'],
  ['account', 'accounts'],
  ['episode', 'episodes'],
  ['row', 'messages to Slack'],
]);

/** Counts what is in Redis, by its keys. */
export async function countShared(client: RedisClient): Promise<{ [kind in Counted]: number }> {
  const counts = { records: 0, sends: 0, chunks: 0, accounts: 0, episodes: 0, 'messages to Slack': 0 };
  for await (const key of keysOf(client)) {
    if (key.startsWith(LEDGER_PREFIX)) {
      const [start = ''] = key.slice(LEDGER_PREFIX.length).split(':', 1);
      const kind = KINDS.get(start);
      if (kind) counts[kind] += 1;
    } else if (key.includes('::')) counts.records += 1;
  }
  return counts;
}

/** Every key of the product, each once. */
export async function* keysOf(client: RedisClient): AsyncIterable<string> {
  const seen = new Set<string>();
  for (let cursor = '0'; ; ) {
    const command = ['SCAN', cursor, 'MATCH', `${PREFIX}*`, 'COUNT', '1000'];
    const page = await within(MOVE_STEP_MS, 'move', client.sendCommand(command));
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
