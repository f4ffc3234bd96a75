import { cpus, loadavg } from 'node:os';
import { type Crowd, joinCrowd } from './crowd.ts';
import { busiestSecond, DEMAND } from './needs.ts';

/** Bots among many instances, and their demand, in figures of real time. */
export interface CrowdStep {
  instances: number;
  bots: number;
  pollsDue: number;
  textsPerSecond: number;
  /** How many times slower than in reality the run went. Calculated figures are not slowed. */
  slowedBy: number;
  crowd: Crowd;
}

export const STEPS = [
  { instances: 1000, bots: 1 },
  { instances: 5000, bots: 1 },
  { instances: DEMAND.instances, bots: 1 },
  { instances: DEMAND.instances, bots: 4 },
];
/** Typical latencies of a service and of Slack, in ms. */
const LATENCY_MS = 100;
const SLACK_MS = 150;
const WINDOW_MS = 20_000;
const WARM_UP_MS = 3000;
/** The most: beyond this, a balance read would take longer than the two seconds that it has. */
const SLOWEST = 4;

/**
 * How many bots a step has, and their share of the demand. All texts are single ones, the most expensive kind. If the
 * machine has other work, bots are slower; then all demand from outside is slowed by the same factor.
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
