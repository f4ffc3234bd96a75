import { setTimeout as sleep } from 'node:timers/promises';
import { residentMegabytes } from '../test/helpers/resident-memory.ts';
import { createWorld } from '../test/helpers/world.ts';
import type { AppProcess } from './app-process.ts';
import { startBare, startBot } from './apps.ts';
import { inMegabytes, inMs, ratioOf, type Section } from './figures.ts';
import { interleaved } from './interleaved.ts';

/** How long an app is idle before its memory is read, in ms. */
const SETTLE_MS = 4000;

/** How long the bot takes to start, and how much memory it has when it is idle. */
export async function benchStart(): Promise<Section> {
  const world = await createWorld({ env: { LOG_LEVEL: 'info' } });
  const apps = { bare: () => startBare(world), ours: () => startBot(world) };
  try {
    // The first start does not count: it makes the data folder and fills the compile cache.
    for (const start of Object.values(apps)) await (await start()).end();
    const took = await interleaved({ bare: () => look(apps.bare), ours: () => look(apps.ours) });
    const readyMs = {
      ours: took.ours.map((run) => run.readyMs),
      theirs: took.bare.map((run) => run.readyMs),
    };
    const memory = {
      ours: took.ours.map((run) => run.megabytes),
      theirs: took.bare.map((run) => run.megabytes),
    };
    return {
      title: 'Start and idle memory',
      means:
        'From starting the process to the first 200 of `/readyz` (the bare app: to the first answer at all), each started ' +
        `before; resident memory ${SETTLE_MS / 1000} s later, as Linux counts it. The bare app is one file of TypeScript, run as it is.`,
      figures: [
        ratioOf('Ready after start', { ...readyMs, shown: inMs, target: { atMost: 1.6 } }),
        ratioOf('Idle memory (RSS)', { ...memory, shown: inMegabytes, target: { atMost: 1.4 } }),
      ],
    };
  } finally {
    await world.close();
  }
}

async function look(start: () => Promise<AppProcess>): Promise<{ readyMs: number; megabytes: number }> {
  const { pid, readyMs, end } = await start();
  await sleep(SETTLE_MS);
  const megabytes = residentMegabytes(pid);
  await end();
  return { readyMs, megabytes };
}
