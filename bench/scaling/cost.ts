import type { RedisMeter, RedisReading } from './redis-meter.ts';

/** A cost, in counts, bytes and ms of CPU. */
export type Cost = RedisReading & {
  /** How many requests the service got. */
  service: number;
  /** How many calls Slack's Web API got, and posts to response_urls. */
  slack: number;
  botMs: number;
};

/** Reads the cost so far, without Redis's. */
export type OthersSpent = () => Omit<Cost, keyof RedisReading>;

type Spent = { cost: Cost; seconds: number; times: number };

/** Measures pieces of work. Each resolves to how often it did the measured thing. */
export interface CostMeter {
  /** What a second of this work costs, without a count of commands. */
  aSecond(work: () => Promise<void>): Promise<Cost>;
  /** The same with commands: does the work twice. */
  aWholeSecond(work: () => Promise<void>): Promise<Cost>;
  /** What one time costs, less what an idle bot costs in the same seconds. */
  once(work: () => Promise<number>, aSecond: Cost): Promise<Cost>;
}

/** Counts commands in a second run of the work, since counting costs Redis time. */
export function meterCosts(redis: RedisMeter, others: OthersSpent): CostMeter {
  async function measure(work: () => Promise<number>): Promise<Spent> {
    const before = { ...(await redis.read()), ...others() };
    const begun = performance.now();
    const times = await work();
    const seconds = (performance.now() - begun) / 1000;
    const after = { ...(await redis.read()), ...others() };
    return { cost: combine(after, before, (now, then) => now - then), seconds, times };
  }

  async function both(work: () => Promise<number>): Promise<{ plain: Spent; watched: Spent }> {
    const plain = await measure(work);
    const unwatch = await redis.watch();
    const watched = await measure(work);
    unwatch();
    return { plain, watched };
  }

  return {
    aSecond: async (work) => perSecond(await measure(counted(work))),
    async aWholeSecond(work) {
      const { plain, watched } = await both(counted(work));
      return joined(perSecond(plain), perSecond(watched));
    },
    async once(work, aSecond) {
      const { plain, watched } = await both(work);
      const each = ({ cost, seconds, times }: Spent) =>
        combine(cost, aSecond, (all, anyway) => (all - anyway * seconds) / times);
      return joined(each(plain), each(watched));
    },
  };
}

function counted(work: () => Promise<void>): () => Promise<number> {
  return async () => {
    await work();
    return 1;
  };
}

function perSecond({ cost, seconds }: Spent): Cost {
  return combine(cost, cost, (all) => all / seconds);
}

function joined(plain: Cost, { trips, commands }: Cost): Cost {
  return { ...plain, trips, commands };
}

function combine(one: Cost, other: Cost, how: (one: number, other: number) => number): Cost {
  const names = Object.keys(one) as (keyof Cost)[];
  return Object.fromEntries(names.map((name) => [name, how(one[name], other[name])])) as unknown as Cost;
}
