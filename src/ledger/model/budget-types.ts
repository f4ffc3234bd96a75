import type { Json } from './json.ts';

/** Credits of a channel in a month, or of a person in a channel on a day. Times are ms by the store's clock. */
export interface BudgetPeriod {
  team: string;
  channelId: string;
  /** Of a day: the person. */
  person?: string;
  /** When the next period begins. */
  renewsAt: number;
  /** Credits that receipts name, and credits that judged unknown messages count for. */
  used: number;
  /** Credits that open and unjudged messages may still take. */
  held: number;
  /** The limit of the last decision for sending, in credits. */
  limit?: number;
  /** The highest level of this limit that was announced, in percent; 0 for none. */
  told: number;
  /** Who hears of it: ids of a channel and of people. */
  readers: string[];
  /** The store has damaged it, and it has no limit since: nobody knows what it has counted. */
  isLost?: true;
  /** When a limit made a lost period one that is used up. Sends that somebody decided before are part of that. */
  usedUpAt?: number;
}

/** A period that counts a send, as it is when the send is decided. */
export interface PeriodAsked extends Pick<BudgetPeriod, 'person' | 'renewsAt' | 'limit' | 'readers'> {
  /** `team/channel/month`, or `team/channel/day/person`. */
  id: string;
}

/** What a decision for sending asks of budgets, in credits: the estimate, and the most that one message may cost. */
export interface BudgetAsked {
  credits: number;
  perMessage: number;
  periods: PeriodAsked[];
  /**
   * What a list may take before a second person must approve its rest. Missing if nobody approved it and the channel has no
   * such limit.
   */
  approvedUpTo?: number;
}

/** Why a send does not fit into a period, in credits. */
export interface ShortBudget extends Pick<BudgetPeriod, 'person' | 'used' | 'held' | 'renewsAt'> {
  limit: number;
  left: number;
  asked: number;
}

export interface OverBudget extends ShortBudget {
  id: string;
}

/** A list takes more credits than a second person approved, or than it may take without approval. */
export interface AboveApproved {
  approvedUpTo: number;
  /** What the whole list takes, by the price of its receipts. */
  asked: number;
}

/** What a channel, and each person in it, may spend at a moment, in credits. */
export interface BudgetLimits {
  month?: number | undefined;
  day?: number | undefined;
}

/** A send's share of its periods, kept with it. */
export interface SendBudget {
  periods: string[];
  /** The most that the whole send may take, in credits. */
  credits: number;
  /** The most that one message may take. */
  perMessage: number;
  /** As `BudgetAsked`, or what a person has approved since. */
  approvedUpTo?: number;
  /** Of a list: how many messages its receipts were about; missing before the first. */
  priced?: number;
  /** Judged unknown messages, and the credits that they count for; missing if there are none. */
  judged?: { messages: number; credits: number };
}

/** The details of a row whose topic is `BUDGET_TOPIC`. */
export type BudgetNews = Pick<BudgetPeriod, 'team' | 'channelId' | 'renewsAt' | 'used' | 'held'> & {
  limit: number;
  /** The level that was reached: one of `LEVELS`, in percent. */
  level: number;
  /** Who hears of it: the id of the channel, or of a person. */
  to: string;
  person?: string;
} & { [key: string]: Json | undefined };
