import type { SpendingLimits } from '../../records/schema.ts';
import { mayAdminister, type Person } from './permissions.ts';

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
