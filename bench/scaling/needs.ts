import type { Cost } from './cost.ts';
import type { Costs } from './costs.ts';

/** The demand on an installation in its busiest hour; figures are per second unless they say otherwise. */
export interface Demand {
  instances: number;
  textsADay: number;
  /** The share of single texts, from 0 to 1. The others are in lists. */
  singleShare: number;
  pollMs: number;
  /** The share of a day's texts in its busiest hour, from 0 to 1. */
  busiestHour: number;
}

/** The demand that the page calculates for. */
export const DEMAND: Demand = {
  instances: 20_000,
  textsADay: 1_000_000,
  singleShare: 0.1,
  pollMs: 300_000,
  busiestHour: 0.1,
};

/** How often each thing happens. */
export interface Rates {
  poll: number;
  /**
   * Each single text reads the balance, too: with fifty texts a day and instance, the last figure is older than half a
   * minute.
   */
  single: number;
  recipient: number;
}

/** What happens in a second of the busiest hour. */
export function busiestSecond({ instances, textsADay, singleShare, pollMs, busiestHour }: Demand): Rates {
  const texts = (textsADay * busiestHour) / 3600;
  return {
    poll: (instances * 1000) / pollMs,
    single: texts * singleShare,
    recipient: texts * (1 - singleShare),
  };
}

/** What happens in a day. */
export function wholeDay({ instances, textsADay, singleShare, pollMs }: Demand): Rates {
  return {
    poll: (instances * 86_400_000) / pollMs,
    single: textsADay * singleShare,
    recipient: textsADay * (1 - singleShare),
  };
}

/** The sum of what these events take, with its terms: how often each happens × what it costs. */
export function taken(
  { poll, single, recipient }: Rates,
  costs: Costs,
  name: keyof Cost,
): { total: number; terms: [often: number, cost: number][] } {
  const terms: [number, number][] = [
    [poll, costs.poll[name]],
    [single, costs.single[name] + costs.poll[name]],
    [recipient, costs.recipient[name]],
  ];
  return { total: terms.reduce((sum, [often, cost]) => sum + often * cost, 0), terms };
}
