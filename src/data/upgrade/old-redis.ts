import { createAsk } from '../../store/redis/ask.ts';
import type { RedisClient } from '../../store/redis/connect.ts';
import { LEDGER_PREFIX } from '../../store/redis/prefix.ts';
import { scanKeys } from '../../store/redis/scan-keys.ts';
import { StoreTroubleError } from '../../store/store-error.ts';
import { type OldStore, type Text, valuesOf } from './old-store.ts';

const PAGE = 100;
/** How long Redis may take for one answer, in ms. */
const ANSWER_MS = 10_000;

/** Reads the hashes of format 1. One scan at the beginning finds all but chunks. */
export async function readOldHashes(client: RedisClient): Promise<OldStore> {
  const keys: string[] = [];
  for await (const key of scanKeys(client, LEDGER_PREFIX)) {
    const name = key.slice(LEDGER_PREFIX.length);
    if (!name.startsWith('chunk:')) keys.push(name);
  }
  const askRedis = createAsk(client, 'upgrade', ANSWER_MS);
  const ask = (name: string, key: string, ...words: string[]) =>
    askRedis(name, `${LEDGER_PREFIX}${key}`, ...words);

  async function* each<T>(all: string[], read: (key: string, id: string) => Promise<T>): AsyncIterable<T> {
    for (let first = 0; first < all.length; first += PAGE) {
      const page = all.slice(first, first + PAGE);
      yield* await Promise.all(page.map((key) => read(key, key.slice(key.indexOf(':') + 1))));
    }
  }

  const keysOf = (kind: string) => keys.filter((key) => key.startsWith(`${kind}:`));

  /** The values of a hash, together with `more`. Their type follows from the kind of key. */
  async function hash<T>(key: string, ...more: Text[]): Promise<T> {
    const texts = pairs(await ask('HGETALL', key));
    // Another bot has upgraded the store meanwhile.
    if (texts.length === 0) throw new StoreTroubleError('refused', `${key} is gone`);
    return valuesOf([...texts, ...more]) as T;
  }

  async function scores(key: string): Promise<{ id: string; score: number }[]> {
    const found = pairs(await ask('ZRANGE', key, '0', '-1', 'WITHSCORES'));
    return found.map(([id, score]) => ({ id, score: Math.ceil(Number(score)) }));
  }

  return {
    sends: () => each(keysOf('send'), (key) => hash(key)),
    async *chunksOf(send) {
      const count = Number(await ask('HGET', `send:${send}`, 'chunks'));
      const all = Array.from({ length: count }, (_, index) => `chunk:${send}:${index}`);
      yield* each(all, (key) => hash(key));
    },
    async *permits() {
      for (const key of keysOf('lane')) {
        const lane = key.slice('lane:'.length);
        for (const { id: token, score: liveUntil } of await scores(key)) yield { token, lane, liveUntil };
      }
    },
    async *rests() {
      for (const { id: lane, score: until } of await scores('rests')) yield { lane, until };
    },
    accounts: () => each(keysOf('account'), (key, id) => hash(key, ['id', id])),
    episodes: () => each(keysOf('episode'), (key, name) => hash(key, ['name', name])),
    rows: () =>
      each(keysOf('row'), async (key, id) => {
        const deadline = await ask('ZSCORE', 'posting', id);
        return hash(key, ['id', id], ['deadline', String(deadline ?? 0)]);
      }),
    // A mark that has expired since the scan gets 1970 as its end.
    seen: () =>
      each(keysOf('seen'), async (key, id) => ({ key: id, expiresAt: Number((await ask('GET', key)) ?? 0) })),
  };
}

function pairs(answer: unknown): Text[] {
  const flat = answer as string[];
  return flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1] ?? ''] as Text] : []));
}
