import type { Collection } from '../../store/collection.ts';
import type { Entries } from '../model/entries.ts';
import type { BalanceDifference, DailySpending } from './statement-types.ts';

/** An account's credits, and its attempts that are on their way. */
export interface AccountDocument {
  credits?: number;
  asOf?: number;
  activity: number;
  baseline?: { credits: number; at: number };
  receiptsSince: number;
  /** Attempts on their way: the chunk's id, the deadline, and the number of messages. */
  inFlight: [chunk: string, deadline: number, messages: number][];
  /** Deadlines of unknown chunks whose request may still be on its way, by the chunk's id. */
  maybeInFlight?: Entries<number>;
  /** How many unknown chunks have no evidence. */
  unexplained: number;
  /** The document was damaged, and no quiet balance read has begun the books again since. */
  hasLostBooks?: true;
  /** The last day whose statement has begun, in days since 1970 (UTC); missing before the first quiet balance read. */
  statementDay?: number;
}

/** An account's statement of one day. After its first day, only days on which its books changed have one. */
interface AccountDay {
  account: string;
  /** Days since 1970, in UTC. */
  day: number;
  /** The balance by the books when the day began. */
  opening: number;
  /** Only on an account's first day: when its statement begins, ms by the store's clock. */
  since?: number;
  /** The differences that balance reads showed, in order. At most one of each kind an hour. */
  differences: BalanceDifference[];
}

export const accounts: Collection<AccountDocument> = {
  name: 'accounts',
  // `findAccount` makes it again.
  whenDamaged: 'lost',
  indexes: { unexplained: ({ unexplained }) => (unexplained > 0 ? [] : undefined) },
};

export const dailySpending: Collection<DailySpending> = {
  name: 'spending',
  whenDamaged: 'lost',
  indexes: {
    channels: ({ team, channelId, day }) => [team, channelId, day],
    accounts: ({ account, day }) => (account === undefined ? undefined : [account, day]),
  },
};

export const accountDays: Collection<AccountDay> = {
  name: 'account-days',
  whenDamaged: 'lost',
  indexes: { days: ({ account, day }) => [account, day] },
};
