import type { Collection } from '../../store/collection.ts';
import type { BudgetPeriod } from '../model/budget-types.ts';
import type { ChunkRef } from '../model/chunk-record.ts';

/** Which sends texted the same words to the same number, newest last. Its id has a keyed hash of both. */
interface RepeatGuard {
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

/** The claim of a damaged guard: somebody may have sent the words. The claim holds until a person allows the repeat. */
export const LOST_CLAIM: GuardClaim = {
  send: 'lost',
  index: 0,
  by: '',
  at: 0,
  until: Number.MAX_SAFE_INTEGER,
};

/** How many messages the repeat guard held back in a channel on one day. */
interface HeldBack {
  team: string;
  channelId: string;
  /** Days since 1970, in UTC. */
  day: number;
  messages: number;
}

export const guards: Collection<RepeatGuard> = {
  name: 'guards',
  whenDamaged: (): RepeatGuard => ({ claims: [LOST_CLAIM] }),
  indexes: { over: ({ claims }) => [Math.max(...claims.map(({ until }) => until))] },
};

export const heldBack: Collection<HeldBack> = {
  name: 'held-back',
  whenDamaged: 'lost',
  indexes: {
    channels: ({ team, channelId, day }) => [team, channelId, day],
    over: ({ day }) => [day],
  },
};

/** A damaged period. Its id has its place and its date, but not the time zone: it ends at the latest end of all. */
function lostPeriod(id: string): BudgetPeriod {
  const [team = '', channelId = '', date = '', person] = id.split('/');
  const [year = 0, month = 1, day] = date.split('-').map(Number);
  const renewsAt = day === undefined ? Date.UTC(year, month, 2) : Date.UTC(year, month - 1, day + 2);
  const empty = { team, channelId, renewsAt, used: 0, held: 0, told: 100, readers: [] };
  return { ...empty, ...(person !== undefined && { person }), isLost: true };
}

export const budgets: Collection<BudgetPeriod> = {
  name: 'budgets',
  whenDamaged: lostPeriod,
  indexes: { over: ({ renewsAt }) => [renewsAt] },
};
