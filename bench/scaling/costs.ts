import { setTimeout as sleep } from 'node:timers/promises';
import { startRedis } from '../../test/helpers/redis-server.ts';
import { createWorld, type World } from '../../test/helpers/world.ts';
import { confirmBulk, draftBulk } from '../../test/helpers/world-bulk.ts';
import { ask, historyOf, link, sendText } from '../../test/helpers/world-steps.ts';
import { startBot } from '../apps.ts';
import { recipientsCsv } from '../recipients.ts';
import { type Cost, meterCosts } from './cost.ts';
import { measurePoll } from './poll-cost.ts';
import { cpuOf } from './process-cpu.ts';
import { meterRedis } from './redis-meter.ts';

/** What each of these costs once; `idle` a minute, `recipient` one of a long list, card and results file included. */
export interface Costs {
  idle: Cost;
  command: Cost;
  link: Cost;
  poll: Cost;
  single: Cost;
  recipient: Cost;
}

const IDLE_MS = 20_000;
const LINKS = 20;
const COMMANDS = 100;
const TEXTS = 150;
const LISTS = 2;
const RECIPIENTS = 2000;
/** Until what follows from the last one is over; but for the look-up, which is filled later. */
const REST_MS = 2000;
/** Chunks whose numbers are not in the look-up yet. */
const UNLISTED = 'switchboard:ledger:i:chunks.unlisted';
const ANEW_MS = 300;
/** Permits that end at once: the work is not to wait for a minute's. */
const LIMITS = { SMS_RATE_LIMIT: '10000', SMS_RATE_WINDOW_MS: '100', BALANCE_POLL_MS: '86400000' };
/** A real one's, so that what waits behind a lease takes as long. */
const TIMES = { SMS_TIMEOUT_MS: '15000', SMS_ATTEMPT_LEASE_MS: '30000', LOG_LEVEL: 'info' };

/** Measures the bot as a process, on a Redis of its own: one workspace with 20 instances and a channel. */
export async function measureCosts(): Promise<Costs> {
  const redis = await startRedis({ 'auto-aof-rewrite-percentage': '0' });
  const world = await createWorld({
    env: { ...LIMITS, ...TIMES, REDIS_URL: redis.url },
    sandbox: { seed: { accounts: accounts(), instances: [] }, switches: { rateLimit: 1_000_000 } },
  });
  const reading = await meterRedis(redis.url);
  const bot = await startBot(world);
  try {
    const meter = meterCosts(reading, () => ({
      service: world.service.requests.length,
      slack: world.slack.calls.filter(({ method }) => method !== 'ack').length,
      botMs: cpuOf(bot.pid),
    }));
    const linkAnother = createLinker(world);
    const rest = async () => {
      do await sleep(REST_MS);
      while ((await reading.sizeOf(UNLISTED)) > 0);
    };
    await warmUp(world, linkAnother);
    await rest();
    // Nothing is written then, so nothing stays: what memory moved by is buffers.
    const idle = { ...(await meter.aWholeSecond(() => sleep(IDLE_MS).then(() => {}))), memory: 0 };
    const times = async (count: number, work: () => Promise<unknown>) => {
      for (let done = 0; done < count; done += 1) await work();
      await rest();
      return count;
    };
    const link = await meter.once(() => times(LINKS / 2, linkAnother), idle);
    const command = await meter.once(() => times(COMMANDS, () => askAnew(world)), idle);
    const single = await meter.once(() => times(TEXTS, () => sendOne(world)), idle);
    const list = await meter.once(() => times(LISTS, () => sendList(world)), idle);
    return {
      idle: each(idle, 60),
      command,
      link,
      poll: await measurePoll(),
      single,
      recipient: each(list, 1 / RECIPIENTS),
    };
  } finally {
    await bot.end();
    reading.close();
    await world.close();
    await redis.close();
  }
}

/** Not so soon after the last one that what it has read is told again. */
async function askAnew(world: World): Promise<void> {
  await sleep(ANEW_MS);
  await ask(world, 'balance');
}

function each(cost: Cost, by: number): Cost {
  return Object.fromEntries(
    Object.entries(cost).map(([name, figure]) => [name, figure * by]),
  ) as unknown as Cost;
}

function accounts() {
  return Array.from({ length: LINKS + 1 }, (_, index) => ({
    user_id: index + 1,
    user_name: `Account ${index + 1}`,
    credits: 1_000_000_000,
  }));
}

/** Each call links the channel to another new instance, with an account of its own. */
function createLinker(world: World): () => Promise<void> {
  let count = 0;
  return async () => {
    count += 1;
    const key = `scaling-key-${String(count).padStart(4, '0')}`;
    world.service.addKey({ name: `Instance ${count}`, key, user_id: count });
    await link(world, { key, name: `Instance ${count}` });
  };
}

/** A process that has just started is slower. */
async function warmUp(world: World, linkAnother: () => Promise<void>): Promise<void> {
  await linkAnother();
  for (let count = 0; count < 40; count += 1) await sendOne(world);
  await sendList(world);
}

function sendOne(world: World): Promise<string> {
  return sendText(world, '+44 20 7946 0958 Your parcel is ready, come and get it');
}

/** From the form to the card that says that it is finished. */
async function sendList(world: World): Promise<void> {
  const finished = () => historyOf(world).filter((message) => message.includes('*Finished*')).length;
  const before = finished();
  const preview = await draftBulk(world, {
    file: { name: 'list.csv', bytes: recipientsCsv(RECIPIENTS) },
    message: 'Hello {name}, your parcel {code} is ready',
  });
  await confirmBulk(world, preview);
  await world.slack.waitFor(() => finished() > before, 60_000);
}
