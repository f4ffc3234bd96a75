import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSandbox } from 'credit-sandbox';
import { openRedisStore } from '../../src/data/shared.ts';
import { startRedis } from '../../test/helpers/redis-server.ts';
import { limitsFor } from '../core.ts';
import { inScratchFolder } from '../scratch-folder.ts';
import { type Cost, meterCosts } from './cost.ts';
import type { CrowdReport, CrowdTask } from './crowd-bot.ts';
import { startBots } from './crowd-bots.ts';
import { populate, seedOf } from './population.ts';
import { meterRedis } from './redis-meter.ts';

/** The result of bots among this many instances. */
export interface Crowd {
  report: CrowdReport;
  /** What all bots cost in a second. */
  aSecond: Cost;
  /** How many bytes an instance and its link take in Redis. */
  recordBytes: number;
}

/** `textsPerSecond`: of all bots together. `latencyMs`: how long the service takes for an answer. */
export type CrowdOptions = Omit<CrowdTask, 'instances' | 'redisUrl' | 'smsUrl' | 'key' | 'folder'> & {
  bots: number;
  latencyMs: number;
  /** How long the bots warm up, in ms. */
  warmUpMs: number;
  /** Measures for a second window of time, and counts Redis's commands in it. */
  countsCommands: boolean;
};

/**
 * Runs bots with this many instances on one Redis. Each bot is the real core in a process of its own; the service is
 * imitated in this process.
 */
export function joinCrowd(
  instances: number,
  { bots, latencyMs, warmUpMs, countsCommands, ...task }: CrowdOptions,
): Promise<Crowd> {
  return inScratchFolder(async (folder) => {
    const redis = await startRedis({ 'auto-aof-rewrite-percentage': '0' });
    const service = await createSandbox({ seed: seedOf(instances), keptRequests: 1 });
    if (latencyMs > 0) service.addFault({ kind: 'delay', ms: latencyMs, times: 'always' });
    let requests = 0;
    service.on('request', () => {
      requests += 1;
    });
    const encryptionKey = randomBytes(32);
    const reading = await meterRedis(redis.url);
    const store = await openRedisStore({
      url: redis.url,
      allowVolatile: false,
      limits: limitsFor(60_000),
      dataDir: folder,
      encryptionKeys: [encryptionKey],
      onDamaged(error) {
        throw error;
      },
    });
    const empty = (await reading.read()).memory;
    await populate(store, instances);
    store.close();
    const recordBytes = ((await reading.read()).memory - empty) / instances;

    const running = await startBots(bots, {
      ...task,
      instances,
      redisUrl: redis.url,
      smsUrl: service.url,
      key: encryptionKey.toString('base64'),
      folder,
    });
    try {
      const meter = meterCosts(reading, () => ({ service: requests, slack: 0, botMs: running.cpuMs() }));
      await sleep(warmUpMs);
      let report: CrowdReport | undefined;
      const live = async () => {
        report = await running.live();
      };
      const aSecond = await (countsCommands ? meter.aWholeSecond(live) : meter.aSecond(live));
      if (!report) throw new Error('the bots said nothing');
      return { report, aSecond, recordBytes };
    } finally {
      await running.end();
      reading.close();
      await service.close();
      await redis.close();
    }
  });
}
