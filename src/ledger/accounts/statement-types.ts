/**
 * What explains a change of the balance without a receipt. `unknown`: unknown messages, as their evidence shows.
 * `elsewhere`: somebody else. `unclear`: one of these two, the evidence does not say which. `topped_up`: the balance
 * rose.
 */
export type DifferenceKind = 'unknown' | 'unclear' | 'elsewhere' | 'topped_up';

/** A change of the balance that no receipt names, between two moments. */
export interface BalanceDifference {
  kind: DifferenceKind;
  from: number;
  to: number;
  /** Negative if credits are gone. After a late answer, a positive figure takes an unknown message's charge back. */
  credits: number;
}

/** An account's books over some days: opening, receipts and differences add up to closing. */
export interface AccountBooks {
  /** When the statement begins, unless it began before these days. */
  since?: number;
  opening: number;
  closing: number;
  /** Days on which something changed, in their order. */
  days: { day: number; opening: number; closing: number; differences: BalanceDifference[] }[];
}

/** What a person’s texts took in a channel on one day, and what became of them. */
export interface DailySpending {
  team: string;
  channelId: string;
  /** Who confirmed the texts. */
  by: string;
  /** Days since 1970, in UTC. */
  day: number;
  /** The account whose statement counts them; missing if that statement had not begun. */
  account?: string;
  credits: number;
  /** How many messages were sent. */
  messages: number;
  /** Outcomes of the texts without a receipt; missing if an earlier version wrote this day first. */
  others?: OtherOutcomes;
}

/** How many texts without a receipt there are, by outcome. */
export interface OtherOutcomes {
  /** Unknown texts that a person said had arrived. */
  arrived: number;
  /** Texts that the service refused, or that the bot never sent. */
  notSent: number;
  unknown: number;
}

/** Some days: the first and the last, in days since 1970 (UTC). */
export interface Days {
  from: number;
  to: number;
}
