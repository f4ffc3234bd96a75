import { setTimeout as sleep } from 'node:timers/promises';
import { startRedis } from '../../test/helpers/redis-server.ts';
import type { World } from '../../test/helpers/world.ts';
import { ask } from '../../test/helpers/world-steps.ts';
import { startBot } from '../apps.ts';
import { type Cost, meterCosts } from './cost.ts';
import { measurePoll } from './poll-cost.ts';
import { cpuOf } from './process-cpu.ts';
import { meterRedis } from './redis-meter.ts';
import { createLinker, createRichWorld, RECIPIENTS, sendList, sendOne, untilListed } from './rich-world.ts';

/** What each of these costs once. `idle`: a minute; `recipient`: one of a long list, with its card and results file. */
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
/** After so many texts, the CPU time of a text falls no further. */
const WARM_UP = 400;
const LISTS = 2;
const ANEW_MS = 300;
/** Measures the bot as a process, on a Redis of its own: one workspace with 20 instances and a channel. */
export async function measureCosts(): Promise<Costs> {
  const redis = await startRedis({ 'auto-aof-rewrite-percentage': '0' });
  const world = await createRichWorld(redis.url, LINKS + 1);
  const reading = await meterRedis(redis.url);
  const bot = await startBot(world);
  try {
    const meter = meterCosts(reading, () => ({
      service: world.service.requests.length,
      slack: world.slack.calls.filter(({ method }) => method !== 'ack').length,
      botMs: cpuOf(bot.pid),
    }));
    const linkAnother = createLinker(world);
    const rest = () => untilListed(reading);
    await warmUp(world, linkAnother);
    await rest();
    // An idle bot writes nothing that stays: a change of memory comes from buffers.
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

/** Asks for the balance late enough that no command shares the figure of the one before. */
async function askAnew(world: World): Promise<void> {
  await sleep(ANEW_MS);
  await ask(world, 'balance');
}

function each(cost: Cost, by: number): Cost {
  return Object.fromEntries(
    Object.entries(cost).map(([name, figure]) => [name, figure * by]),
  ) as unknown as Cost;
}

/** Warms the process up: one that has just started compiles, and its first texts take twice the CPU. */
async function warmUp(world: World, linkAnother: () => Promise<void>): Promise<void> {
  await linkAnother();
  for (let count = 0; count < WARM_UP; count += 1) await sendOne(world);
  await sendList(world);
}
