import type { Collection } from '../../store/collection.ts';
import type { BudgetPeriod } from '../model/budget-types.ts';
import type { ChunkRef } from '../model/chunk-record.ts';
import { timeKey } from '../model/time-key.ts';

/** Which sends brought some words to a number, the newest last. The document's id is a keyed hash of both. */
export interface RepeatGuard {
  claims: GuardClaim[];
}

/** That a chunk of a send brings them, or brought them. */
export interface GuardClaim extends ChunkRef {
  /** Which of the chunk's messages has them; missing if an earlier version claimed them. */
  place?: number;
  /** Who decided the send. */
  by: string;
  at: number;
  /** From then on it does not count. */
  until: number;
}

/** What the repeat guard held back in a channel on one day. */
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
