import type { Person } from '../../../core/accounts/permissions.ts';
import type { ApprovalRequest } from '../../../core/approvals/approvals.ts';
import type { Confirmation } from '../../../core/sends/decide-to-send.ts';
import type { Message } from '../../ui/blocks.ts';
import { NOT_SENT_YET, notYours } from '../../ui/draft-refusals.ts';
import { withdrawnMessage } from '../../ui/expired-draft.ts';
import type { RequestDecision } from '../../ui/ids.ts';
import * as answers from '../../ui/limits/approval-answers.ts';
import { bulkSending } from '../../ui/lists/draft-answers.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';

/** What goes with a decision. `reason`: of **Decline**; the others: of **Approve**. */
interface More extends Pick<Confirmation, 'evenIfSent' | 'onWait'> {
  reason?: string;
}

/** Decides a request; `over` if it does not wait any more. */
type Decide = (
  deps: SlackDeps,
  person: Person,
  request: ApprovalRequest,
  more: More,
) => Promise<Message | 'over'>;

/** Sends what was asked for. A request that no longer fits goes back to the person who asked. */
const approve: Decide = async (deps, person, request, { evenIfSent, onWait }) => {
  const { approvals } = deps.core;
  const { id, channel, details } = request.view;
  const { askedBy } = request.approval;
  const approver = await deps.access.again(person);
  async function asker(user: string): Promise<Person | undefined> {
    // As of now: the bot may still remember who somebody was before they were deactivated.
    const found = await deps.access.present(user);
    return found && !(await deps.rights.membershipRefusal(found, channel)) ? found : undefined;
  }
  const approved = await approvals.approve(id, approver, asker, { evenIfSent, onWait });
  deps.log.info({ send: id, result: approved.kind }, 'Approve was pressed');
  switch (approved.kind) {
    case 'running': {
      const begun = (await approvals.view(id)) ?? request;
      // The message where they asked still says that the list waits. A text gets its receipt there.
      if (begun.kind === 'job')
        await deps.replies.inPlace(details.reply, bulkSending(begun.view, deps.core.now()));
      return answers.approvedMessage(begun, deps.core.now());
    }
    case 'no_balance':
      return NOT_SENT_YET;
    case 'may_be_sent':
      return answers.mayBeSent(approved.view);
    case 'own_request':
      return answers.OWN_REQUEST;
    case 'not_approver':
      return answers.notApprover(approved.approvers);
    case 'unfit': {
      const reason = answers.unfitReason(approved.why, askedBy);
      const back = await approvals.sendBack(id, reason);
      return back.kind === 'declined' ? answers.sentBackMessage(reason, askedBy, back.view) : 'over';
    }
    case 'missing':
    case 'too_late':
      return 'over';
  }
};

const decline: Decide = async (deps, person, { view: { id } }, { reason = '' }) => {
  const declined = await deps.core.approvals.decline(id, await deps.access.again(person), reason);
  deps.log.info({ send: id, result: declined.kind }, 'Decline was pressed');
  switch (declined.kind) {
    case 'declined':
      return answers.declinedMessage(declined.view);
    case 'not_approver':
      return answers.notApprover(declined.approvers);
    case 'missing':
    case 'too_late':
      return 'over';
  }
};

const withdraw: Decide = async ({ core, replies }, person, { kind, view: { id, details }, approval }) => {
  const { askedBy } = approval;
  if (askedBy !== person.id) return notYours(askedBy, 'withdraw');
  const room = kind === 'job' ? core.jobs : core.sends;
  const withdrawn = await room.withdraw(id, person);
  if (withdrawn.kind !== 'withdrawn') return 'over';
  const answer = withdrawnMessage(withdrawn.view, 'Withdrawn');
  await replies.inPlace(details.reply, answer);
  return answer;
};

const DECISIONS: Record<RequestDecision, Decide> = { approve, decline, withdraw };

/** Decides a request for approval, and returns what to tell the person. */
export async function decideRequest(
  deps: SlackDeps,
  person: Person,
  id: string,
  { decision, ...more }: More & { decision: RequestDecision },
): Promise<Message> {
  const { approvals } = deps.core;
  const request = await approvals.view(id);
  if (!request) return answers.REQUEST_GONE;
  const decided = await DECISIONS[decision](deps, person, request, more);
  if (decided !== 'over') return decided;
  const now = await approvals.view(id);
  return now ? answers.requestIsOver(now) : answers.REQUEST_GONE;
}
