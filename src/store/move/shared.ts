import type { RedisClient } from '../redis/connect.ts';
import { keysKey } from '../redis/keyv.ts';
import { PREFIX } from '../redis/prefix.ts';
import type { Runner } from '../redis/run.ts';
import { within } from '../redis/within.ts';
import type { Embedded } from './embedded.ts';

/** What one step carries, in things and in characters: Redis serves nobody else meanwhile. */
const AT_ONCE = 200;
const CHARACTERS_AT_ONCE = 1_000_000;
/** Most that one step of a move may take, in ms. */
export const MOVE_STEP_MS = 10_000;

/** How much of everything there is. */
export type Counts = { [kind in Kind]: number };
type Kind =
  | 'records'
  | 'sends'
  | 'chunks'
  | 'permits'
  | 'accounts'
  | 'episodes'
  | 'messages to Slack'
  | 'marks of repeats'
  | 'keys that rest';

/** Writes all of it into an empty ledger; answers how much that was. */
export async function writeShared(
  { client, runner }: { client: RedisClient; runner: Runner },
  from: Embedded,
): Promise<Counts> {
  const counts: Counts = {
    ...{ records: 0, sends: 0, chunks: 0, permits: 0, accounts: 0, episodes: 0 },
    ...{ 'messages to Slack': 0, 'marks of repeats': 0, 'keys that rest': 0 },
  };

  for (const { id, set } of from.sends()) {
    await commit([{ kind: 'send', id, set, gone: [] }], []);
    counts.sends += 1;
    for (const chunks of batches(from.chunksOf(id))) {
      const changes = chunks.map((chunk, i) => ({ kind: 'chunk', id, gone: [], ...chunk, messages: i + 1 }));
      await commit(
        changes,
        chunks.map(({ messages }) => messages),
      );
      counts.chunks += chunks.length;
    }
  }

  async function commit(changes: object[], texts: string[]): Promise<void> {
    const plan = { at: runner.now(), fresh: Number.MAX_SAFE_INTEGER, versions: [], changes };
    await runner.run('commit', plan, { texts });
  }

  async function bring(kind: Kind, list: string, things: Iterable<object>): Promise<void> {
    const nothing = { permits: [], rests: [], accounts: [], episodes: [], rows: [], seen: [] };
    for (const batch of batches(things)) {
      await runner.run('import', { ...nothing, [list]: batch });
      counts[kind] += batch.length;
    }
  }

  await bring('permits', 'permits', from.permits());
  await bring('accounts', 'accounts', from.accounts());
  await bring('episodes', 'episodes', from.episodes());
  await bring('messages to Slack', 'rows', from.rows());
  await bring('marks of repeats', 'seen', from.seen());
  await bring('keys that rest', 'rests', from.rests());
  for (const { namespace, key, value } of from.records()) {
    await ask('ZADD', keysKey(PREFIX, namespace), '0', key);
    await ask('SET', `${PREFIX}${namespace}::${key}`, value);
    counts.records += 1;
  }
  return counts;

  function ask(...command: string[]): Promise<unknown> {
    return within(MOVE_STEP_MS, 'move', client.sendCommand(command));
  }
}

/** Slices of few things, or of fewer long ones. */
function* batches<T extends object>(things: Iterable<T>): Iterable<T[]> {
  let batch: T[] = [];
  let characters = 0;
  for (const thing of things) {
    batch.push(thing);
    characters += JSON.stringify(thing).length;
    if (batch.length < AT_ONCE && characters < CHARACTERS_AT_ONCE) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}
