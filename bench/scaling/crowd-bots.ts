import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { CrowdReport, CrowdTask } from './crowd-bot.ts';
import { cpuOf } from './process-cpu.ts';

const BOT = join(import.meta.dirname, 'crowd-bot.ts');

/** Bots that share a Redis, each in a process. */
export interface CrowdBots {
  cpuMs(): number;
  /** Runs all of them for the task's window. Resolves to their results. */
  live(): Promise<CrowdReport>;
  end(): Promise<void>;
}

/** Starts this many bots, which share the task's texts. Resolves when all of them work. */
export async function startBots(count: number, task: CrowdTask): Promise<CrowdBots> {
  const bots = Array.from({ length: count }, () => fork(BOT));
  const share = { ...task, textsPerSecond: task.textsPerSecond / count };
  const tellAll = (words: object | string) => Promise.all(bots.map((bot) => answerOf(bot, words)));
  await tellAll(share);
  return {
    cpuMs: () => bots.reduce((sum, { pid }) => sum + cpuOf(pid as number), 0),
    live: async () => joined((await tellAll('go')) as CrowdReport[]),
    async end() {
      const exited = bots.map((bot) => (bot.exitCode === null ? once(bot, 'exit') : undefined));
      for (const bot of bots) bot.kill();
      await Promise.all(exited);
    },
  };
}

async function answerOf(bot: ChildProcess, words: object | string): Promise<unknown> {
  bot.send(words);
  const ended = once(bot, 'exit').then(([code]) => {
    throw new Error(`a bot of the crowd ended with ${code}`);
  });
  // Once the bot has answered, its end is no error.
  ended.catch(() => {});
  const [answer] = await Promise.race([once(bot, 'message'), ended]);
  return answer;
}

function joined(reports: CrowdReport[]): CrowdReport {
  const sum = (name: 'polls' | 'pollsPerSecond' | 'due' | 'sent') =>
    reports.reduce((total, report) => total + report[name], 0);
  const most = (name: 'seconds' | 'outboxLagMs') => Math.max(...reports.map((report) => report[name]));
  const troubles: CrowdReport['troubles'] = {};
  for (const [what, count] of reports.flatMap((report) => Object.entries(report.troubles))) {
    troubles[what] = (troubles[what] ?? 0) + count;
  }
  return {
    seconds: most('seconds'),
    polls: sum('polls'),
    pollsPerSecond: sum('pollsPerSecond'),
    due: sum('due'),
    sent: sum('sent'),
    waits: reports.flatMap(({ waits }) => waits),
    troubles,
    outboxLagMs: most('outboxLagMs'),
  };
}
