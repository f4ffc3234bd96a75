import type { SpendingLimits } from '../../records/schema.ts';
import { mayAdminister, type Person } from './permissions.ts';

/** The approval limit, if the estimate's upper figure is above it; undefined if it is not. */
export function approvalLimit(
  { approvalAbove }: Pick<SpendingLimits, 'approvalAbove'>,
  { credits }: { credits: number },
): number | undefined {
  return approvalAbove !== undefined && credits > approvalAbove ? approvalAbove : undefined;
}

/** User ids of a channel's approvers; none if the admins approve. Only admins grant an exception from a budget. */
export function namedApprovers(
  { approvers }: Pick<SpendingLimits, 'approvers'>,
  why?: 'budget',
): readonly string[] {
  return why === 'budget' ? [] : approvers;
}

/** Whether this person may approve and decline: one of the channel’s approvers, or an admin if nobody is chosen. */
export function mayApprove(
  person: Person,
  limits: Pick<SpendingLimits, 'approvers'>,
  why?: 'budget',
): boolean {
  if (person.isGuest || person.isOutsider) return false;
  const named = namedApprovers(limits, why);
  return named.length === 0 ? mayAdminister(person) : named.includes(person.id);
}
