import { cpus, loadavg } from 'node:os';
import { type Crowd, joinCrowd } from './crowd.ts';
import { busiestSecond, DEMAND } from './needs.ts';

/** Bots in a crowd, and what they were asked for; all of it as if time had not been slowed. */
export interface CrowdStep {
  instances: number;
  bots: number;
  pollsDue: number;
  textsPerSecond: number;
  /** So many times slower than in truth everything went, but for what is reckoned. */
  slowedBy: number;
  crowd: Crowd;
}

export const STEPS = [
  { instances: 1000, bots: 1 },
  { instances: 5000, bots: 1 },
  { instances: DEMAND.instances, bots: 1 },
  { instances: DEMAND.instances, bots: 4 },
];
/** A service and a Slack somewhere in the world. */
const LATENCY_MS = 100;
const SLACK_MS = 150;
const WINDOW_MS = 20_000;
const WARM_UP_MS = 3000;
/** Beyond that a balance, which is given two seconds, would come too late. */
const SLOWEST = 4;

/**
 * So many bots, and the instances' share of the demand: all texts are single ones, which is the most that they can
 * cost. On a machine that has other work, everything that comes from outside goes slower by so much as the bots do.
 */
export async function crowdOf({
  instances,
  bots,
}: Pick<CrowdStep, 'instances' | 'bots'>): Promise<CrowdStep> {
  const share = instances / DEMAND.instances;
  const { poll, single } = busiestSecond({ ...DEMAND, singleShare: 1 });
  const rates = { pollsDue: poll * share, textsPerSecond: single * share };
  const slowedBy = Math.min(SLOWEST, Math.max(1, Math.ceil((loadavg()[0] ?? 0) / cpus().length)));
  const crowd = await joinCrowd(instances, {
    bots,
    latencyMs: LATENCY_MS * slowedBy,
    slackMs: SLACK_MS * slowedBy,
    windowMs: WINDOW_MS * slowedBy,
    warmUpMs: WARM_UP_MS,
    pollMs: DEMAND.pollMs * slowedBy,
    wallSpeed: 1,
    textsPerSecond: rates.textsPerSecond / slowedBy,
    countsCommands: false,
  });
  return { ...rates, instances, bots, slowedBy, crowd };
}
