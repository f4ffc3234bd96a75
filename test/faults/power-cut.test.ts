import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SentMessage } from 'credit-sandbox';
import { aroundEach, describe } from 'vitest';
import { connect } from '../../src/store/redis/connect.ts';
import { between, createDice } from '../helpers/dice.ts';
import { type Dump, dumpRedis } from '../helpers/dump-store.ts';
import { expectWhole } from '../helpers/expect-whole.ts';
import { type RedisServer, startRedis, withoutRedis } from '../helpers/redis-server.ts';
import { asOneOfMany, whenOver } from '../helpers/side-by-side.ts';
import { START_BUNDLED } from '../helpers/start-command.ts';
import { createWorld, type World, type WorldOptions } from '../helpers/world.ts';
import { draft, link, press, receiptOf } from '../helpers/world-steps.ts';
import { expectTrueOutcomes, outcomesOf } from './helpers/expect-true-outcomes.ts';
import { type FaultRun, IS_LONG, testFault } from './helpers/faults.ts';
import { readLedger, untilWorkIsOver } from './helpers/read-ledger.ts';
import { createSurePeople } from './helpers/sure-people.ts';
import {
  createTracedDisk,
  readTraces,
  type TraceEvent,
  traced,
  withoutTrace,
} from './helpers/traced-disk.ts';

const DEEDS = { short: 15, long: 40 };
const CREDITS = 100_000;
/** The tracer writes the last events within this time, in ms. */
const TRACED_WITHIN_MS = 1000;

type SentText = Pick<SentMessage, 'phone' | 'text'>;

aroundEach(asOneOfMany);

describe('a power cut', { concurrent: !IS_LONG }, () => {
  const mustHold =
    'each request that left is on the disk, as is each receipt; the bot starts; sent arrived once, unknown at most once, all else never; the ledger is whole';
  const runs = { short: 1, long: 60 };
  testFault(
    {
      what: 'the power is cut, so that the disk has what was synced, and any sectors of the rest: SQLite',
      mustHold,
      runs,
      minutes: 60,
      skip: withoutTrace,
    },
    (run) => cutPower(onSqlite, run),
  );
  testFault(
    {
      what: 'the power is cut, so that the disk has what was synced, and a part of what came last: Redis',
      mustHold,
      runs,
      minutes: 60,
      skip: withoutTrace || withoutRedis,
    },
    (run) => cutPower(onRedis, run),
  );
});

/** A store with a traced program, beside the traced bot. */
interface TracedStore {
  world: World;
  env: Record<string, string>;
  /** The folder on the disk that loses power. */
  folder: string;
  traces: string[];
  /** The ledger now. */
  read(): Promise<Dump>;
  /** The ledger in a copy of the folder. */
  readCopy(copy: string): Promise<Dump>;
  /** Whether a bot starts after a power cut in its first start. Redis may lose the ledger that DATA_DIR names. */
  survivesFirstStart: boolean;
  /** Replaces the folder with a copy. No program may run on it. */
  putBack(copy: string): Promise<void>;
  close(): Promise<void>;
}

const WORLD: WorldOptions = {
  sandbox: { switches: { rateLimit: 100_000, refusedPhones: [] } },
  env: {
    SMS_RATE_LIMIT: '10000',
    SMS_TIMEOUT_MS: '600',
    SMS_ATTEMPT_LEASE_MS: '1100',
    BULK_CHUNK_SIZE: '3',
  },
};

async function onSqlite(scratch: string): Promise<TracedStore> {
  const trace = join(scratch, 'bot.trace');
  const world = await createWorld({ ...WORLD, bot: traced(START_BUNDLED, trace) });
  const folder = world.dataDir;
  return {
    world,
    env: {},
    folder,
    traces: [trace],
    read: async () => readLedger(folder),
    readCopy: async (copy) => readLedger(copy),
    survivesFirstStart: true,
    async putBack(copy) {
      rmSync(folder, { recursive: true });
      cpSync(copy, folder, { recursive: true });
    },
    close: world.close,
  };
}

async function onRedis(scratch: string): Promise<TracedStore> {
  const traces = ['bot', 'redis'].map((name) => join(scratch, `${name}.trace`)) as [string, string];
  const redis = await startRedis({}, tmpdir(), (command) => traced(command, traces[1]));
  const reader = await startRedis();
  const world = await createWorld({ ...WORLD, bot: traced(START_BUNDLED, traces[0]) });

  async function read({ url }: RedisServer): Promise<Dump> {
    // On a busy machine, a Redis that has just started may not answer in time.
    const { client, close } = await connect(url).catch(() => connect(url));
    try {
      return await dumpRedis(client, 'switchboard:ledger:');
    } finally {
      close();
    }
  }

  return {
    world,
    env: { REDIS_URL: redis.url },
    folder: redis.folder,
    traces,
    read: () => read(redis),
    async readCopy(copy) {
      await reader.putBack(copy);
      return read(reader);
    },
    survivesFirstStart: false,
    putBack: redis.putBack,
    async close() {
      await world.close();
      await Promise.all([redis.close(), reader.close()]);
    },
  };
}

async function cutPower(
  open: (scratch: string) => Promise<TracedStore>,
  { runs, isLong, saw }: FaultRun,
): Promise<void> {
  const seed = isLong ? Math.floor(Math.random() * 2 ** 32) : 7;
  const dice = createDice(seed);
  const scratch = mkdtempSync(join(tmpdir(), 'switchboard-power-'));
  const store = await open(scratch);
  whenOver(async () => {
    await store.close();
    rmSync(scratch, { recursive: true, force: true });
  });
  const { world, env, folder } = store;
  const { service } = world;
  service.setCredits(1, CREDITS);
  await world.start(env);
  await link(world);
  const text = await draft(world, `+447700900099 Sure of ${world.slack.team.name}, 0.`);
  await press(world, text, 'Send');
  await receiptOf(world, text);
  const people = createSurePeople(world, dice);
  for (let deed = 0; deed < (isLong ? DEEDS.long : DEEDS.short); deed += 1) {
    // A traced bot may be slower than people's patience.
    await people.doSomething().catch(() => undefined);
  }
  await world.kill();
  await sleep(TRACED_WITHIN_MS);
  const events = readTraces(...store.traces);
  const toService = (event: TraceEvent) => textsIn(event, new URL(service.url).host);
  const requests = events.filter((event) => toService(event).length > 0);
  const receipts = events.filter((event) => toldAsSent(event) !== undefined);
  assert(requests.length > 0 && receipts.length > 0, 'the trace shows no request, or no receipt');
  const earliest = store.survivesFirstStart ? 0 : events.indexOf(requests[0] as TraceEvent);

  // Everything that was sent, or told to a person, must have been on the disk before.
  const disk = createTracedDisk(folder);
  const copy = join(scratch, 'copy');
  for (const event of events) {
    const texts = toService(event);
    const words = toldAsSent(event);
    if (texts.length > 0 || words !== undefined) {
      disk.writeAfterCut(copy, dice);
      const ledger = await store.readCopy(copy);
      if (texts.length > 0) expectOnTheirWay(ledger, texts);
      if (words !== undefined) expectSent(ledger, words);
    }
    disk.apply(event);
  }

  // A bot starts on what the cut left.
  for (let run = 0; run < runs; run += 1) {
    const before = events.slice(0, Math.floor(between(dice, earliest, events.length)));
    const arrived = before.flatMap(toService);
    const left = createTracedDisk(folder);
    for (const event of before) left.apply(event);
    left.writeAfterCut(copy, dice);
    await world.kill();
    await store.putBack(copy);
    service.setCredits(1, CREDITS - arrived.length);
    const later = service.messages.length;
    await world.start(env);
    await untilWorkIsOver(store.read);
    await world.stop();
    const ledger = await store.read();
    expectTrueOutcomes(ledger, [...arrived, ...service.messages.slice(later)]);
    expectWhole(ledger);
  }
  saw({ requests: requests.length, receipts: receipts.length, 'writes and syncs': events.length });
}

/** The texts of a request to this host. */
function textsIn(event: TraceEvent, host: string): SentText[] {
  if (event.kind !== 'send' || event.to !== host) return [];
  const [head = '', body = ''] = event.bytes.toString().split('\r\n\r\n');
  if (!head.startsWith('POST ')) return [];
  const asked = JSON.parse(body) as { messages?: RawText[] } & RawText;
  return (asked.messages ?? [asked]).map(({ phone, message }) => ({ phone, text: message }));
}

/** The words of a text whose receipt says that it was sent. */
function toldAsSent(event: TraceEvent): string | undefined {
  const said = event.kind === 'send' ? event.bytes.toString() : '';
  if (!said.startsWith('POST ') || !said.includes('✅ *Sent*')) return undefined;
  return /Sure of \w+, \d+\./.exec(said)?.[0];
}

interface RawText {
  phone: string;
  message: string;
}

function expectOnTheirWay(ledger: Dump, texts: SentText[]): void {
  const known = outcomesOf(ledger).filter(({ state }) => state === 'sending');
  for (const { phone, text } of texts) {
    const isKnown = known.some((one) => one.phone === phone && one.text === text);
    assert(isKnown, `“${text}” left for ${phone}, and the disk does not know`);
  }
}

function expectSent(ledger: Dump, words: string): void {
  const known = outcomesOf(ledger).some(({ state, text }) => state === 'sent' && text === words);
  assert(known, `“${words}” was told as sent, and the disk does not know`);
}
