import type { Cost } from './cost.ts';
import { joinCrowd } from './crowd.ts';

const INSTANCES = 20;
const WINDOW_MS = 20_000;
const TASK = {
  bots: 1,
  latencyMs: 0,
  slackMs: 0,
  textsPerSecond: 0,
  windowMs: WINDOW_MS,
  warmUpMs: 5000,
  countsCommands: true,
};

/**
 * What reading a balance in the background costs once, in one workspace. The clock goes three hundred times as fast, so
 * the bot reads each account every second, not every five minutes. The cost of a bot that polls no account is
 * subtracted.
 */
export async function measurePoll(): Promise<Cost> {
  const idle = await joinCrowd(INSTANCES, { ...TASK, pollMs: 86_400_000, wallSpeed: 1 });
  const polling = await joinCrowd(INSTANCES, { ...TASK, pollMs: 1000, wallSpeed: 300 });
  const names = Object.keys(idle.aSecond) as (keyof Cost)[];
  return Object.fromEntries(
    names.map((name) => [name, (polling.aSecond[name] - idle.aSecond[name]) / polling.aSecond.service]),
  ) as unknown as Cost;
}
