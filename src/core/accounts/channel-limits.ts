import type { Link, SpendingLimits } from '../../records/schema.ts';

export { SpendingLimits } from '../../records/schema.ts';

/** What a channel starts with: it may spend what there is. */
export const NO_LIMITS: SpendingLimits = {
  approvers: [],
  approvalsIn: 'channel',
  ownApproval: false,
  undoSeconds: 0,
};

/** Whether a budget limits the channel of a link: otherwise the bot need not read what is left. */
export function hasBudget(link: Link): boolean {
  const { monthlyBudget, dailyPerPerson } = limitsOf(link);
  return monthlyBudget !== undefined || dailyPerPerson !== undefined;
}

/** What the channel of a link may spend, and who has to agree. */
export function limitsOf({ limits = NO_LIMITS }: Link): SpendingLimits {
  return limits;
}
