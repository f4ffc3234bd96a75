import type { Person } from '../../../core/accounts/permissions.ts';
import { membershipRefusal } from '../../people/usable-link.ts';
import type { Message } from '../../ui/blocks.ts';
import { notYours } from '../../ui/draft-refusals.ts';
import {
  approvedMessage,
  BALANCE_UNKNOWN,
  declinedMessage,
  notApprover,
  OWN_REQUEST,
  REQUEST_GONE,
  requestIsOver,
  sentBackMessage,
  unfitReason,
  WITHDRAWN_REQUEST,
} from '../../ui/limits/approval-answers.ts';
import { bulkSending } from '../../ui/lists/draft-answers.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';

/**
 * **Approve and send**: what to tell whoever pressed it. A request that no longer fits goes back to who asked. It calls
 * `onWait` before a look at the balance.
 */
export async function approveRequest(
  deps: SlackDeps,
  person: Person,
  id: string,
  onWait?: () => Promise<void>,
): Promise<Message> {
  const { approvals } = deps.core;
  const request = await approvals.view(id);
  if (!request) return REQUEST_GONE;
  const approver = await deps.access.again(person);
  const { askedBy } = request.approval;
  const { channel } = request.view;
  async function asker(user: string): Promise<Person | undefined> {
    // As of now: the bot may still remember who somebody was before they were deactivated.
    const found = await deps.access.present(user);
    return found && !(await membershipRefusal(deps, found, channel)) ? found : undefined;
  }
  const approved = await approvals.approve(id, approver, asker, onWait);
  deps.log.info({ send: id, decision: approved.kind }, 'Approve was pressed');
  switch (approved.kind) {
    case 'running': {
      const begun = (await approvals.view(id)) ?? request;
      // Where they asked it still says that it waits. A text gets its receipt there.
      if (begun.kind === 'job')
        await deps.replies.inPlace(request.view.details.reply, bulkSending(begun.view, deps.core.now()));
      return approvedMessage(begun, deps.core.now());
    }
    case 'no_balance':
      return BALANCE_UNKNOWN;
    case 'own_request':
      return OWN_REQUEST;
    case 'unfit': {
      const reason = unfitReason(approved.why, askedBy);
      const back = await approvals.sendBack(id, reason);
      return back.kind === 'declined' ? sentBackMessage(reason, askedBy) : overMessage(deps, id);
    }
    default:
      return answerTo(deps, id, approved);
  }
}

/** **Decline**: what to tell whoever pressed it. */
export async function declineRequest(
  deps: SlackDeps,
  person: Person,
  id: string,
  reason: string,
): Promise<Message> {
  const { approvals } = deps.core;
  if (!(await approvals.view(id))) return REQUEST_GONE;
  const declined = await approvals.decline(id, await deps.access.again(person), reason);
  deps.log.info({ send: id, decision: declined.kind }, 'Decline was pressed');
  if (declined.kind === 'declined') return declinedMessage(declined.view.details.by);
  return answerTo(deps, id, declined);
}

/** **Withdraw**: what to tell whoever pressed it. */
export async function withdrawRequest(deps: SlackDeps, person: Person, id: string): Promise<Message> {
  const { sends, jobs, approvals } = deps.core;
  const request = await approvals.view(id);
  if (!request) return REQUEST_GONE;
  if (request.approval.askedBy !== person.id) return notYours(request.approval.askedBy, 'withdraw');
  const room = request.kind === 'job' ? jobs : sends;
  const { kind } = await room.withdraw(id, person, 'cancelled');
  if (kind !== 'withdrawn') return overMessage(deps, id);
  await deps.replies.inPlace(request.view.details.reply, WITHDRAWN_REQUEST);
  return WITHDRAWN_REQUEST;
}

async function answerTo(
  deps: SlackDeps,
  id: string,
  answer: { kind: 'missing' } | { kind: 'not_approver'; approvers: readonly string[] } | { kind: 'too_late' },
): Promise<Message> {
  switch (answer.kind) {
    case 'missing':
      return REQUEST_GONE;
    case 'not_approver':
      return notApprover(answer.approvers);
    case 'too_late':
      return overMessage(deps, id);
  }
}

async function overMessage({ core }: SlackDeps, id: string): Promise<Message> {
  const now = await core.approvals.view(id);
  return now ? requestIsOver(now) : REQUEST_GONE;
}
