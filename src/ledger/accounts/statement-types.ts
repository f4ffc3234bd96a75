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

/** Receipts of an account, by channel and by the person who confirmed them. */
export interface AccountSpending {
  team: string;
  channelId: string;
  by: string;
  credits: number;
  /** How many messages were sent. */
  messages: number;
}

/** How many texts without a receipt there are, by outcome. */
export interface OtherOutcomes {
  /** Unknown texts that a person said had arrived. */
  arrived: number;
  /** Texts that the service refused, or that the bot never sent. */
  notSent: number;
  unknown: number;
}

/** What became of a workspace's texts on one day, as far as the bot knows by now. */
export interface DayOutcomes extends Pick<OtherOutcomes, 'notSent' | 'unknown'> {
  team: string;
  /** Days since 1970, in UTC. */
  day: number;
  sent: number;
  /** An earlier version counted on this day, and only what was sent. */
  isIncomplete?: true;
}

/** The books of some days, who spent the credits, and what became of texts. */
export interface AccountStatement {
  books: AccountBooks;
  spending: AccountSpending[];
  outcomes: DayOutcomes[];
}

/** Some days: the first and the last, in days since 1970 (UTC). */
export interface Days {
  from: number;
  to: number;
}
