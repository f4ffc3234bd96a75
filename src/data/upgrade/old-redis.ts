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

  async function* each(all: string[], read: (id: string) => Promise<Fields>): AsyncIterable<Fields> {
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
        for (const [token, liveUntil] of await scores(`lane:${lane}`)) yield { token, lane, liveUntil };
      }
    },
    async *rests() {
      for (const [lane, until] of await scores('rests')) yield { lane, until };
    },
    accounts: () => each(ids.account, async (id) => ({ ...(await hash(`account:${id}`)), id })),
    episodes: () => each(ids.episode, async (name) => ({ ...(await hash(`episode:${name}`)), name })),
    rows: () =>
      each(ids.row, async (id) => {
        const deadline = await ask('ZSCORE', 'posting', id);
        return { ...(await hash(`row:${id}`)), id, ...(deadline !== null && { deadline: String(deadline) }) };
      }),
    async *seen() {
      for (const key of ids.seen) {
        const expiresAt = await ask('GET', `seen:${key}`);
        // The mark may have expired by now.
        if (expiresAt !== null) yield { key, expiresAt: String(expiresAt) };
      }
    },
  };
}

function pairs(answer: unknown): [string, string][] {
  const flat = answer as string[];
  return flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1] ?? ''] as [string, string]] : []));
}
