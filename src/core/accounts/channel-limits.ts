import type { Link, SpendingLimits } from '../../records/schema.ts';

export { SpendingLimits } from '../../records/schema.ts';

/** The limits of a new channel: it may spend all credits. */
export const NO_LIMITS: SpendingLimits = {
  approvers: [],
  approvalsIn: 'channel',
  ownApproval: false,
  undoSeconds: 0,
};

/** Whether the channel of a link has a budget. Without one, nobody needs to know how much of it is left. */
export function hasBudget(link: Link): boolean {
  const { monthlyBudget, dailyPerPerson } = limitsOf(link);
  return monthlyBudget !== undefined || dailyPerPerson !== undefined;
}

/** What the channel of a link may spend, and who has to approve it. */
export function limitsOf({ limits = NO_LIMITS }: Pick<Link, 'limits'>): SpendingLimits {
  return limits;
}

/**
 * The credits above which a second person must approve, if the estimate's upper figure is above them. 0 is every text:
 * texts that were free so far may cost something by now.
 */
export function exceededApprovalLimit(
  { approvalAbove }: Pick<SpendingLimits, 'approvalAbove'>,
  { credits }: { credits: number },
): number | undefined {
  if (approvalAbove === 0) return 0;
  return approvalAbove !== undefined && credits > approvalAbove ? approvalAbove : undefined;
}
