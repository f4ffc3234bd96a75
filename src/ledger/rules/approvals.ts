import type { View } from '../../store/view.ts';
import { DAY_MS } from '../model/days.ts';
import type { Decision } from '../model/decision-types.ts';
import { defined } from '../model/defined.ts';
import type { SendRecord } from '../model/send-record.ts';
import { withDetails } from '../model/send-states.ts';
import { announce, rowAbout } from '../outbox/announce.ts';

/** How long a request waits for its approval, in ms. */
export const APPROVAL_MS = DAY_MS;

/** Whether a person may not approve what `askedBy` asked for: it is their own, and the channel does not allow that. */
export function isOwnRequest(askedBy: string, person: string, isOwnAllowed = false): boolean {
  return askedBy === person && !isOwnAllowed;
}

/**
 * Why a decision on an undecided send does not count; undefined if it does. Nobody declines or approves a draft before
 * somebody asks. Only an approver's word sends a request.
 */
export function whyNotDecided(
  { state, approval }: SendRecord,
  { to, by, approval: word }: Decision,
): 'decided' | 'own_request' | undefined {
  if (state === 'draft') {
    return to === 'declined' || (to === 'running' && word) ? 'decided' : undefined;
  }
  if (to === 'awaiting_approval' || (to === 'running' && !word)) return 'decided';
  const isOwn = approval && isOwnRequest(approval.askedBy, by, word?.isOwnAllowed);
  return to === 'running' && isOwn ? 'own_request' : undefined;
}

/** The draft as a request for approval. @throws Error if the decision names no topic */
export function requestOf(draft: SendRecord, decision: Decision, at: number): SendRecord {
  const { by, details = {}, approval } = decision;
  const { topic, why, same, include } = approval ?? {};
  if (topic === undefined) throw new Error(`the request ${draft.id} names no topic`);
  return {
    ...withDetails(draft, details),
    state: 'awaiting_approval',
    expiresAt: at + APPROVAL_MS,
    approval: { askedBy: by, askedAt: at, topic, ...defined({ why, same, include }) },
  };
}

/** Makes the request's card due. */
export function announceRequest(view: View, { id, team, approval }: SendRecord): void {
  if (approval) announce(view, rowAbout(id, approval.topic, { team }));
}
