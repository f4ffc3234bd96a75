import { limitsOf } from '../../core/accounts/channel-limits.ts';
import {
  isOwnRequest,
  mayAdminister,
  mayApprove,
  namedApprovers,
  type Person,
} from '../../core/accounts/permissions.ts';
import type { ApprovalRequest } from '../../core/approvals/approvals.ts';
import type { RequestDecision } from '../ui/ids.ts';
import type { RequestsOfPerson } from '../ui/limits/approval-words.ts';
import { present } from '../ui/words.ts';
import type { Access } from './access.ts';

/** What this person may do with a request that waits. */
export function rightsOf(person: Person, { linked, approval }: ApprovalRequest): RequestDecision[] {
  const limits = linked && limitsOf(linked.link);
  const decides = limits !== undefined && mayApprove(person, limits, approval.why);
  return present(
    decides && !isOwnRequest(approval.askedBy, person.id, limits.ownApproval) && 'approve',
    decides && 'decline',
    person.id === approval.askedBy && 'withdraw',
  );
}

/** The people who decide a request, by id; empty if the admins do. */
export function approversOf({ linked, approval }: ApprovalRequest): readonly string[] {
  return linked ? namedApprovers(limitsOf(linked.link), approval.why) : [];
}

/** Whether nobody can approve: the named people have left or are guests, or no other admin is left. If unsure: false. */
export async function isNobodyLeft(
  access: Pick<Access, 'visitor' | 'hasAdminBesides'>,
  person: Person,
  others: readonly string[],
): Promise<boolean> {
  // Others have somebody to ask: a workspace has an owner.
  if (others.length === 0) return mayAdminister(person) && !(await access.hasAdminBesides(person.id));
  const visitors = await Promise.all(others.map((each) => access.visitor(each).catch(() => undefined)));
  return visitors.every((each) => each !== undefined);
}

/** Of the requests that wait: those for this person's approval, and those that they asked for. */
export function requestsOf(person: Person, waiting: readonly ApprovalRequest[]): RequestsOfPerson {
  return {
    forMe: waiting.filter((request) => rightsOf(person, request).includes('approve')),
    mine: waiting.filter(({ approval }) => approval.askedBy === person.id),
  };
}
