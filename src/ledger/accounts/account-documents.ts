import type { Collection } from '../../store/collection.ts';
import type { Entries } from '../model/entries.ts';
import type { AccountSpending, BalanceDifference, OtherOutcomes } from './statement-types.ts';

/** An account's money, and what of it is on its way. */
export interface AccountDocument {
  credits?: number;
  asOf?: number;
  activity: number;
  baseline?: { credits: number; at: number };
  receiptsSince: number;
  /** Attempts on their way: their chunk by `chunkIdOf`, their deadline, and how many messages. */
  inFlight: [chunk: string, deadline: number, messages: number][];
  /** Unknown chunks whose request may still be on its way: their deadlines. */
  maybeInFlight?: Entries<number>;
  /** Unknown chunks without evidence. */
  unexplained: number;
  /** The last day whose statement has begun, in days since 1970 (UTC); missing before the first quiet balance read. */
  statementDay?: number;
}

/** An account's statement of one day on which something changed beside receipts, or anything at all was charged. */
export interface AccountDay {
  account: string;
  /** Days since 1970, in UTC. */
  day: number;
  /** What the books said was left when the day began. */
  opening: number;
  /** Of an account's first day: when the statement begins, ms by the store's clock. */
  since?: number;
  /** What balance reads told, in the order in which they did. One of a kind an hour. */
  differences: BalanceDifference[];
}

/** What was spent in a channel on one day. */
export interface DailySpending extends AccountSpending {
  /** Days since 1970, in UTC. */
  day: number;
  /** Whose statement counts them; missing if it had not begun. */
  account?: string;
  /** What became of all others; missing if an earlier version began it. */
  others?: OtherOutcomes;
}

export const accounts: Collection<AccountDocument> = {
  name: 'accounts',
  indexes: { unexplained: ({ unexplained }) => (unexplained > 0 ? [] : undefined) },
};

export const dailySpending: Collection<DailySpending> = {
  name: 'spending',
  indexes: {
    channels: ({ team, channelId, day }) => [team, channelId, day],
    accounts: ({ account, day }) => (account === undefined ? undefined : [account, day]),
  },
};

export const accountDays: Collection<AccountDay> = {
  name: 'account-days',
  indexes: { days: ({ account, day }) => [account, day] },
};
