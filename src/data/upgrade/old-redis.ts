import { createAsk } from '../../store/redis/ask.ts';
import type { RedisClient } from '../../store/redis/connect.ts';
import { RedisStepError } from '../../store/redis/errors.ts';
import { scanKeys } from '../../store/redis/scan-keys.ts';
import type { Fields, OldStore } from './old-store.ts';

const PAGE = 100;
/** How long Redis has for one answer, in ms. */
const ANSWER_MS = 10_000;

const KINDS = ['send', 'lane', 'account', 'episode', 'row', 'seen'] as const;
type Kind = (typeof KINDS)[number];

/** Reads the hashes of format 1 under this prefix. All but chunks are looked up once, at the beginning. */
export async function readOldHashes(client: RedisClient, prefix: string): Promise<OldStore> {
  const ids = Object.fromEntries(KINDS.map((kind) => [kind, [] as string[]])) as { [kind in Kind]: string[] };
  for await (const key of scanKeys(client, prefix)) {
    const [kind = '', ...rest] = key.slice(prefix.length).split(':');
    if (rest.length > 0 && Object.hasOwn(ids, kind)) ids[kind as Kind].push(rest.join(':'));
  }

  const askRedis = createAsk(client, 'upgrade', ANSWER_MS);
  const ask = (name: string, key: string, ...words: string[]) => askRedis(name, `${prefix}${key}`, ...words);

  async function* each<T>(all: string[], read: (id: string) => Promise<T>): AsyncIterable<T> {
    for (let first = 0; first < all.length; first += PAGE) {
      yield* await Promise.all(all.slice(first, first + PAGE).map(read));
    }
  }

  async function hash(key: string): Promise<Fields> {
    const found = pairs(await ask('HGETALL', key));
    // Another bot has upgraded it meanwhile.
    if (found.length === 0) throw new RedisStepError('refused', `${key} is gone`);
    return Object.fromEntries(found);
  }

  const scores = async (key: string) => pairs(await ask('ZRANGE', key, '0', '-1', 'WITHSCORES'));

  return {
    sends: () => each(ids.send, (id) => hash(`send:${id}`)),
    async *chunksOf(send) {
      const count = Number(await ask('HGET', `send:${send}`, 'chunks'));
      const keys = Array.from({ length: count }, (_, index) => `chunk:${send}:${index}`);
      yield* each(keys, hash);
    },
    async *permits() {
      for (const lane of ids.lane) {
        for (const [token, until] of await scores(`lane:${lane}`))
          yield { token, lane, until: Number(until) };
      }
    },
    async *rests() {
      for (const [lane, until] of await scores('rests')) yield { lane, until: Number(until) };
    },
    accounts: () => each(ids.account, async (id) => ({ id, fields: await hash(`account:${id}`) })),
    episodes: () => each(ids.episode, async (name) => ({ name, fields: await hash(`episode:${name}`) })),
    rows: () =>
      each(ids.row, async (id) => {
        const deadline = await ask('ZSCORE', 'posting', id);
        const fields = await hash(`row:${id}`);
        return { id, fields: deadline === null ? fields : { ...fields, deadline: String(deadline) } };
      }),
    async *seen() {
      for await (const { key, until } of each(ids.seen, seenAt)) if (until > 0) yield { key, until };
    },
  };

  async function seenAt(key: string) {
    // The mark may have expired by now.
    return { key, until: Number((await ask('GET', `seen:${key}`)) ?? 0) };
  }
}

function pairs(answer: unknown): [string, string][] {
  const flat = answer as string[];
  return flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1] ?? ''] as [string, string]] : []));
}
