import { mayApprove } from '../../core/accounts/approvers.ts';
import { limitsOf } from '../../core/accounts/limits.ts';
import type { Person } from '../../core/accounts/permissions.ts';
import type { ApprovalRequest } from '../../core/approvals/approvals.ts';
import type { RequestDecision } from '../ui/ids.ts';

/** What this person may do with a request that waits. */
export function rightsOf(person: Person, { linked, approval }: ApprovalRequest): RequestDecision[] {
  const limits = linked && limitsOf(linked.link);
  const isOwn = person.id === approval.askedBy;
  const decides = limits !== undefined && mayApprove(person, limits, approval.why);
  return [
    ...(decides && (!isOwn || limits.ownApproval) ? (['approve'] as const) : []),
    ...(decides ? (['decline'] as const) : []),
    ...(isOwn ? (['withdraw'] as const) : []),
  ];
}

/** Who decides a request; nobody by name where the admins do. */
export function approversOf({ linked, approval }: ApprovalRequest): string[] {
  return linked && approval.why !== 'budget' ? limitsOf(linked.link).approvers : [];
}

/** Of the requests that wait: those for this person's approval, and those that they asked for. */
export function requestsOf(
  person: Person,
  waiting: readonly ApprovalRequest[],
): { forMe: ApprovalRequest[]; mine: ApprovalRequest[] } {
  return {
    forMe: waiting.filter((request) => rightsOf(person, request).includes('approve')),
    mine: waiting.filter(({ approval }) => approval.askedBy === person.id),
  };
}
