import type { Collection } from '../../store/collection.ts';
import type { BudgetPeriod } from '../model/budget-types.ts';
import type { ChunkRef } from '../model/chunk-record.ts';
import { timeKey } from '../model/time-key.ts';

/** Which sends texted the same words to the same number, newest last. Its id has a keyed hash of both. */
export interface RepeatGuard {
  claims: GuardClaim[];
}

/** A chunk that sends these words to this number, or has sent them. */
export interface GuardClaim extends ChunkRef {
  /** The place of the message in its chunk; missing if an earlier version made the claim. */
  place?: number;
  /** Who decided the send. */
  by: string;
  at: number;
  /** When the claim stops counting. */
  until: number;
}

/** How many messages the repeat guard held back in a channel on one day. */
export interface HeldBack {
  team: string;
  channelId: string;
  /** Days since 1970, in UTC. */
  day: number;
  messages: number;
}

export const guards: Collection<RepeatGuard> = {
  name: 'guards',
  indexes: { over: ({ claims }) => [timeKey(Math.max(...claims.map(({ until }) => until)))] },
};

export const heldBack: Collection<HeldBack> = {
  name: 'held-back',
  indexes: {
    channels: ({ team, channelId, day }) => [team, channelId, day],
    over: ({ day }) => [day],
  },
};

export const budgets: Collection<BudgetPeriod> = {
  name: 'budgets',
  indexes: { over: ({ renewsAt }) => [timeKey(renewsAt)] },
};
