import type { Json } from './json.ts';

/** Credits of a channel in a month, or of a person in a channel on a day. Times are ms by the store's clock. */
export interface BudgetPeriod {
  team: string;
  channelId: string;
  /** Of a person's day: whose it is. */
  person?: string;
  /** When it ends, and the next one begins. */
  renewsAt: number;
  /** Credits that receipts name, and those that were judged of unknown messages. */
  used: number;
  /** Credits that open and unjudged messages may still take. */
  held: number;
  /** The limit of the last decision for sending, in credits. */
  limit?: number;
  /** The percentage of this limit that was last told; 0: none. */
  told: number;
  /** Who is told: ids of a channel and of people. */
  readers: string[];
}

/** A period that a send is to be counted in, as it is at the moment of its decision. */
export interface PeriodAsked extends Pick<BudgetPeriod, 'person' | 'renewsAt' | 'limit' | 'readers'> {
  /** `team/channel/month`, or `team/channel/day/person`. */
  id: string;
}

/** What a decision for sending asks of budgets, in credits: the estimate, and the most that one message may cost. */
export interface BudgetAsked {
  credits: number;
  perMessage: number;
  periods: PeriodAsked[];
  /** What a list may take before a second person approves its rest; missing without such a rule. */
  approvedUpTo?: number;
}

/** Why a send does not fit into a period, in credits. */
export interface ShortBudget extends Pick<BudgetPeriod, 'person' | 'used' | 'held' | 'renewsAt'> {
  limit: number;
  left: number;
  asked: number;
}

/** The same, with the period's id. */
export interface OverBudget extends ShortBudget {
  id: string;
}

/** The rest of a list takes more than a second person approved, or than goes without one. In credits. */
export interface AboveApproved {
  approvedUpTo: number;
  /** What the whole list takes, at the price of its receipts. */
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
  /** The most that all of it may take, in credits. */
  credits: number;
  /** The most that one message may take. */
  perMessage: number;
  /** As `BudgetAsked`, or what a person has approved since. */
  approvedUpTo?: number;
  /** Of a list: messages that receipts spoke of, sent or unclear; missing before the first. */
  priced?: number;
  /** Messages that stay unknown and are judged, and the credits that they count for; missing if there are none. */
  judged?: { messages: number; credits: number };
}

/** What a row says whose topic is `BUDGET_TOPIC`; a type so that it is JSON. */
export type BudgetNews = Pick<BudgetPeriod, 'team' | 'channelId' | 'renewsAt' | 'used' | 'held'> & {
  limit: number;
  /** How much of the limit is used and held, in percent: one of `LEVELS`. */
  level: number;
  /** Whose row it is: the id of the channel, or of a person. */
  to: string;
  person?: string;
} & { [key: string]: Json | undefined };
