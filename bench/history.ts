import { spawnSync } from 'node:child_process';
import { type ChunkDocument, chunks, type SendDocument, sends } from '../src/ledger/documents.ts';
import type { Collection } from '../src/store/collection.ts';
import { keysOf } from '../src/store/known-document.ts';
import { connect } from '../src/store/redis/connect.ts';
import { createRedisEngine } from '../src/store/redis/engine.ts';
import { epochKey } from '../src/store/redis/epoch.ts';
import { createSqliteEngine } from '../src/store/sqlite/engine.ts';
import { openDatabase } from '../src/store/sqlite/open.ts';
import type { Change, Engine } from '../src/store/store.ts';
import { startRedis } from '../test/helpers/redis-server.ts';
import { createWorld, type World } from '../test/helpers/world.ts';
import { link } from '../test/helpers/world-steps.ts';
import { type Answers, receiveAnswers } from './answers.ts';
import { startBot } from './apps.ts';
import { compareMedians } from './compare-loads.ts';
import { type Figure, inMs, percentile, ratioOf, type Section } from './figures.ts';
import { compareHomes } from './home.ts';
import { interleaved } from './interleaved.ts';
import { load } from './load.ts';
import { typedCommand } from './typed-command.ts';

const RUN_MS = 3000;
const FEW = 1000;
const MANY = 1_000_000;
const LEDGER_PREFIX = 'switchboard:ledger:';
/** Texts of one commit. */
const AT_ONCE = 1000;
const STEP_MS = 60_000;

/** `/sms history` from the command to the answer, with few texts in the store and with many. */
export async function benchHistory({ many = MANY }: { many?: number } = {}): Promise<Section> {
  const hasRedis = spawnSync('redis-server', ['--version']).error === undefined;
  return {
    title: '`/sms history` and Home',
    means:
      'Signed HTTP over one kept-alive connection, the next command once the one before was answered. Two bots, each with a ' +
      `store of its own: one with ${many.toLocaleString('en')} finished texts, against one with ${FEW.toLocaleString('en')}; all are of one channel and one person. ` +
      'A Home is measured from the visit to its `views.publish`.' +
      (hasRedis ? '' : ' There is no `redis-server` on this machine: the lines of Redis are left out.'),
    figures: [...(await compare('SQLite', many)), ...(hasRedis ? await compare('Redis', many) : [])],
  };
}

async function compare(engine: 'SQLite' | 'Redis', many: number): Promise<Figure[]> {
  const answers = await receiveAnswers();
  const [few, lots] = [await startFilled(engine, FEW), await startFilled(engine, many)];
  try {
    const drive = ({ world }: Filled, ms = RUN_MS) => ask(world, answers, ms);
    // Once for nothing: a bot that has just started is slower.
    for (const one of [few, lots]) await drive(one, 1000);
    const took = await interleaved({ few: () => drive(few), lots: () => drive(lots) });
    const p99 = (runs: (typeof took)['few']) => runs.map((run) => percentile(run.answers, 99));
    return [
      compareMedians(`${engine}: answered`, took.lots, took.few),
      ratioOf(`${engine}: answered, p99`, {
        ours: p99(took.lots),
        theirs: p99(took.few),
        shown: inMs,
        target: { atMost: 1.5 },
      }),
      ...(await compareHomes(engine, { few: few.world, many: lots.world })),
    ];
  } finally {
    await Promise.all([few.end(), lots.end(), answers.close()]);
  }
}

function ask(world: World, answers: Answers, ms: number) {
  const { signingSecret, url } = world;
  return load({ url: `${url}/slack/events`, signingSecret }, answers, {
    connections: 1,
    ms,
    fields: typedCommand(world, 'history'),
    says: 'Texts from this channel',
  });
}

interface Filled {
  world: World;
  end(): Promise<void>;
}

/** A bot whose channel has sent so many texts. */
async function startFilled(engine: 'SQLite' | 'Redis', texts: number): Promise<Filled> {
  const redis = engine === 'Redis' ? await startRedis() : undefined;
  const world = await createWorld({
    env: { LOG_LEVEL: 'info', BALANCE_POLL_MS: '86400000', ...(redis && { REDIS_URL: redis.url }) },
  });
  await world.start();
  await link(world, { values: { 'Low-credit threshold': '0' } });
  await world.stop();
  if (redis) await fillRedis(redis.url, world, texts);
  else await fillSqlite(world, texts);
  const bot = await startBot(world);
  return {
    world,
    async end() {
      await bot.end();
      await world.close();
      await redis?.close();
    },
  };
}

async function fillSqlite(world: World, texts: number): Promise<void> {
  const db = openDatabase(world.dataDir);
  try {
    db.raw.exec('PRAGMA synchronous=OFF');
    await fill(createSqliteEngine(db), world, texts);
  } finally {
    db.close();
  }
}

async function fillRedis(url: string, world: World, texts: number): Promise<void> {
  const connection = await connect(url);
  try {
    const { client } = connection;
    const epoch = String(await client.sendCommand(['GET', epochKey(LEDGER_PREFIX)]));
    await fill(createRedisEngine({ client, prefix: LEDGER_PREFIX, epoch, stepMs: STEP_MS }), world, texts);
  } finally {
    connection.close();
  }
}

/** Writes finished single texts of one channel, a second apart, in large commits. */
async function fill(engine: Engine, world: World, texts: number): Promise<void> {
  await engine.read([], []);
  const begun = engine.now() - texts * 1000;
  for (let first = 0; first < texts; first += AT_ONCE) {
    const change: Change = {
      expected: [],
      puts: [],
      deletes: [],
      entries: { added: [], removed: [] },
      at: engine.now(),
      isSynced: false,
    };
    for (let place = first; place < Math.min(texts, first + AT_ONCE); place += 1) {
      const id = `bench-${place}`;
      add(change, sends, id, aText(world, id, begun + place * 1000));
      add(change, chunks, `${id}/0`, aChunk(begun + place * 1000));
    }
    const { outcome } = await engine.commit(change);
    if (outcome !== 'ok') throw new Error(`texts could not be written: ${outcome}`);
  }
}

function add<T>(change: Change, of: Collection<T>, id: string, value: T): void {
  const { name: collection } = of;
  change.puts.push({
    address: { collection, id },
    stored: { version: `bench-${id}`, text: JSON.stringify(value) },
  });
  for (const [index, key] of Object.entries(keysOf(of, { value }))) {
    if (key !== undefined) change.entries.added.push({ collection, index, key, id });
  }
}

function aText({ slack }: World, id: string, at: number): SendDocument {
  const by = slack.people.member.id;
  return {
    record: {
      ...{ id, team: slack.team.id, channelId: slack.channels.sales.id, instance: 'bench' },
      kind: 'single',
      state: 'finished',
      details: {
        by,
        e164: '+442079460958',
        country: 'GB',
        accountId: 'https://sms.example/api/v1#1',
        estimate: { credits: 1, basis: 'documented' },
        balance: 999,
        receiptLine: true,
        confirmedAt: at,
      },
      topics: ['receipt'],
      ...{ createdAt: at, expiresAt: at + 900_000, decidedAt: at, decidedBy: by, endedAt: at },
      ...{ inFlightLimit: 8, unknownRun: 0 },
    },
    work: { chunks: 1, drafted: 1, next: 1, back: {}, inFlight: {}, splitBudgets: {} },
    tally: { states: { sent: { chunks: 1, messages: 1 } }, otherStatuses: {}, creditsUsed: 1 },
    messages: [{ phone: '442079460958', text: 'Your parcel is here: fetch it until six.' }],
  };
}

function aChunk(at: number): ChunkDocument {
  return {
    ...{ state: 'sent', size: 1, root: 0, attempt: 1, refusals: 0, settledAt: at, listed: 's' },
    account: 'https://sms.example/api/v1#1',
    result: { cause: 'accepted', messageId: 4711, creditsUsed: 1, creditsRemaining: 999 },
  };
}
