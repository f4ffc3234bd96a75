import { createAsk } from '../../store/redis/ask.ts';
import type { RedisClient } from '../../store/redis/connect.ts';
import { RedisStepError } from '../../store/redis/errors.ts';
import { LEDGER_PREFIX } from '../../store/redis/prefix.ts';
import { scanKeys } from '../../store/redis/scan-keys.ts';
import type { Fields, OldStore } from './old-store.ts';

const PAGE = 100;
/** How long Redis may take for one answer, in ms. */
const ANSWER_MS = 10_000;

const KINDS = ['send', 'lane', 'account', 'episode', 'row', 'seen'];

/** Reads the hashes of format 1. One scan at the beginning finds the ids of all but chunks. */
export async function readOldHashes(client: RedisClient): Promise<OldStore> {
  const ids = new Map(KINDS.map((kind) => [kind, [] as string[]]));
  for await (const key of scanKeys(client, LEDGER_PREFIX)) {
    const [, kind = '', id] = /^(\w+):(.*)$/s.exec(key.slice(LEDGER_PREFIX.length)) ?? [];
    if (id !== undefined) ids.get(kind)?.push(id);
  }
  const idsOf = (kind: string) => ids.get(kind) ?? [];

  const askRedis = createAsk(client, 'upgrade', ANSWER_MS);
  const ask = (name: string, key: string, ...words: string[]) =>
    askRedis(name, `${LEDGER_PREFIX}${key}`, ...words);

  async function* each(all: string[], read: (id: string) => Promise<Fields>): AsyncIterable<Fields> {
    for (let first = 0; first < all.length; first += PAGE) {
      yield* await Promise.all(all.slice(first, first + PAGE).map(read));
    }
  }

  async function hash(key: string): Promise<Fields> {
    const found = pairs(await ask('HGETALL', key));
    // Another bot has upgraded the store meanwhile.
    if (found.length === 0) throw new RedisStepError('refused', `${key} is gone`);
    return Object.fromEntries(found);
  }

  const scores = async (key: string) => pairs(await ask('ZRANGE', key, '0', '-1', 'WITHSCORES'));

  return {
    sends: () => each(idsOf('send'), (id) => hash(`send:${id}`)),
    async *chunksOf(send) {
      const count = Number(await ask('HGET', `send:${send}`, 'chunks'));
      const keys = Array.from({ length: count }, (_, index) => `chunk:${send}:${index}`);
      yield* each(keys, hash);
    },
    async *permits() {
      for (const lane of idsOf('lane')) {
        for (const [token, liveUntil] of await scores(`lane:${lane}`)) yield { token, lane, liveUntil };
      }
    },
    async *rests() {
      for (const [lane, until] of await scores('rests')) yield { lane, until };
    },
    accounts: () => each(idsOf('account'), async (id) => ({ ...(await hash(`account:${id}`)), id })),
    episodes: () => each(idsOf('episode'), async (name) => ({ ...(await hash(`episode:${name}`)), name })),
    rows: () =>
      each(idsOf('row'), async (id) => {
        const deadline = await ask('ZSCORE', 'posting', id);
        return { ...(await hash(`row:${id}`)), id, ...(deadline !== null && { deadline: String(deadline) }) };
      }),
    // A mark that has expired since the scan gets 1970 as its end.
    seen: () =>
      each(idsOf('seen'), async (key) => {
        return { key, expiresAt: String((await ask('GET', `seen:${key}`)) ?? 0) };
      }),
  };
}

function pairs(answer: unknown): [string, string][] {
  const flat = answer as string[];
  return flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1] ?? ''] as [string, string]] : []));
}
