import { spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { createLedger } from '../src/ledger/create-ledger.ts';
import type { Ledger } from '../src/ledger/ledger.ts';
import type { LedgerMessage } from '../src/ledger/model/chunk-record.ts';
import type { NewSend } from '../src/ledger/model/decision-types.ts';
import type { Words } from '../src/ledger/model/repeat-types.ts';
import { createSqliteEngine } from '../src/store/sqlite/engine.ts';
import { openDatabase } from '../src/store/sqlite/open.ts';
import { createSteps } from '../src/store/steps.ts';
import { startRedis } from '../test/helpers/redis-server.ts';
import { openBenchStore } from './bench-store.ts';
import { type Figure, inMs, median, ratioOf, type Section } from './figures.ts';
import { LIMITS, SENT } from './intents.ts';
import { interleaved } from './interleaved.ts';
import { inScratchFolder } from './scratch-folder.ts';

const DECISIONS = 200;
const CHUNKS = 50;
const CHUNK_SIZE = 100;
const HOLDS_MS = 86_400_000;

/** What the repeat guard costs: a decision and a job's chunk with claims, beside the same without claims. */
export async function benchRepeatGuard(): Promise<Section> {
  const hasRedis = spawnSync('redis-server', ['--version']).error === undefined;
  return {
    title: 'The repeat guard',
    means:
      `The decision of a single text, the median of ${DECISIONS}, and all steps of a job’s chunk of ${CHUNK_SIZE} texts ` +
      `(take, settle; with the guard also the claim of each text’s words), the median of ${CHUNKS}: with the guard, and without.`,
    figures: [...(await inScratchFolder(onSqlite)), ...(hasRedis ? await inScratchFolder(onRedis) : [])],
  };
}

async function onSqlite(folder: string): Promise<Figure[]> {
  const db = openDatabase(folder);
  try {
    return await compare('SQLite', createLedger(createSteps(createSqliteEngine(db)), LIMITS));
  } finally {
    db.close();
  }
}

async function onRedis(dataDir: string): Promise<Figure[]> {
  const server = await startRedis();
  try {
    const store = await openBenchStore(server.url, dataDir, randomBytes(32));
    const figures = await compare('Redis', store.ledger);
    store.close();
    return figures;
  } finally {
    await server.close();
  }
}

async function compare(engine: string, ledger: Ledger): Promise<Figure[]> {
  await decisions(ledger, true);
  const decided = await interleaved({
    with: () => decisions(ledger, true),
    without: () => decisions(ledger, false),
  });
  const chunks = await interleaved({
    with: () => jobChunks(ledger, true),
    without: () => jobChunks(ledger, false),
  });
  const compared = (what: string, took: typeof decided, atMost?: number) =>
    ratioOf(`${engine}: ${what}`, {
      ours: took.with,
      theirs: took.without,
      shown: inMs,
      ...(atMost === undefined ? {} : { target: { atMost } }),
    });
  return [compared('decision', decided, 1.5), compared(`chunk of ${CHUNK_SIZE} texts`, chunks)];
}

async function decisions(ledger: Ledger, isGuarded: boolean): Promise<number> {
  const took: number[] = [];
  for (let count = 0; count < DECISIONS; count += 1) {
    const send = aSend('single', [someMessages(1)]);
    await ledger.draft(send);
    const begun = performance.now();
    await ledger.decide(send.id, { to: 'running', by: 'U1', ...(isGuarded && { words: someWords() }) });
    took.push(performance.now() - begun);
    await ledger.stop(send.id);
  }
  return median(took);
}

async function jobChunks(ledger: Ledger, isGuarded: boolean): Promise<number> {
  const send = aSend(
    'job',
    Array.from({ length: CHUNKS }, () => someMessages(CHUNK_SIZE)),
  );
  await ledger.draft(send);
  await ledger.decide(send.id, { to: 'running', by: 'U1' });
  const took: number[] = [];
  for (let count = 0; count < CHUNKS; count += 1) {
    const words = Array.from({ length: CHUNK_SIZE }, someWords);
    const token = randomUUID();
    const key = { instance: 'i1', rateLimitKey: 'k1', account: 'a1' };
    const begun = performance.now();
    const taken = await ledger.take({ ...key, priority: 'background', token });
    if (taken.kind !== 'taken') throw new Error(`nothing was taken: ${taken.kind}`);
    const { index } = taken.chunk;
    if (isGuarded && !(await ledger.claimChunk(taken.send, { index, token, words }))) {
      throw new Error('the attempt is over');
    }
    await ledger.settle({ send: send.id, index }, token, SENT);
    took.push(performance.now() - begun);
  }
  return median(took);
}

function someWords(): Words {
  return { hash: randomBytes(32).toString('base64url'), repeatGuardMs: HOLDS_MS };
}

function someMessages(count: number): LedgerMessage[] {
  return Array.from({ length: count }, () => ({ phone: '442079460958', text: 'Your parcel is ready.' }));
}

function aSend(kind: NewSend['kind'], chunks: LedgerMessage[][]): NewSend {
  return {
    id: randomUUID(),
    team: 'T1',
    channelId: 'C1',
    instance: 'i1',
    kind,
    chunks,
    details: { by: 'U1' },
    topics: [],
    expiresInMs: 900_000,
  };
}
