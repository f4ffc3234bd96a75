import type { Link, SpendingLimits } from '../../records/records.ts';

export type { SpendingLimits } from '../../records/records.ts';

/** What a channel starts with: it may spend what there is. */
export const NO_LIMITS: SpendingLimits = {
  approvers: [],
  approvalsIn: 'channel',
  ownApproval: false,
  undoSeconds: 0,
};

/** What the channel of a link may spend, and who has to agree. */
export function limitsOf({ limits = NO_LIMITS }: Link): SpendingLimits {
  return limits;
}
