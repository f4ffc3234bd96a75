import type { SpendingLimits } from '../../records/records.ts';
import { mayAdminister, type Person } from './permissions.ts';

/** The limit in credits that an estimate's most is above, so that a second person approves; undefined where it is not. */
export function approvalLimit(
  { approvalAbove }: Pick<SpendingLimits, 'approvalAbove'>,
  { credits }: { credits: number },
): number | undefined {
  return approvalAbove !== undefined && credits > approvalAbove ? approvalAbove : undefined;
}

/**
 * Whether this person may approve and decline requests of a channel: one of its approvers, or an admin where none is
 * chosen. Guests and people of other workspaces never. An exception from a budget takes an admin.
 */
export function mayApprove(
  person: Person,
  { approvers }: Pick<SpendingLimits, 'approvers'>,
  why?: 'budget',
): boolean {
  if (person.isGuest || person.isOutsider) return false;
  return approvers.length === 0 || why === 'budget' ? mayAdminister(person) : approvers.includes(person.id);
}
