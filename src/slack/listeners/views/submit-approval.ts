import type { Person } from '../../../core/accounts/permissions.ts';
import { approveRequest, declineRequest, withdrawRequest } from '../../answers/decide-request.ts';
import { readMetadata } from '../../forms/form-metadata.ts';
import { chosenOf, typedIn } from '../../forms/view-values.ts';
import { afterAcks } from '../../requests/after-acks.ts';
import type { Message } from '../../ui/blocks.ts';
import { FIELDS, REQUEST_DECISIONS, type RequestDecision } from '../../ui/ids.ts';
import { DECISION_WANTED, REASON_WANTED } from '../../ui/limits/approval-forms.ts';
import { noticeView, TITLES } from '../../ui/views.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import { answerInTime, type FormResult, type ViewHandler } from './submission.ts';

/** What a request is about, read and decided. */
export function submitApproval(deps: SlackDeps): ViewHandler {
  return async (args) => {
    const decision = chosenOf(args.view.state.values, FIELDS.decision, REQUEST_DECISIONS);
    if (!decision)
      return args.ack({ response_action: 'errors', errors: { [FIELDS.decision]: DECISION_WANTED } });
    await decide(deps, args, decision);
  };
}

/** **Decline**, with the reason. */
export function submitDecline(deps: SlackDeps): ViewHandler {
  return (args) => decide(deps, args, 'decline');
}

async function decide(
  deps: SlackDeps,
  args: Parameters<ViewHandler>[0],
  decision: RequestDecision,
): Promise<void> {
  const { view, ack } = args;
  const { request = '' } = readMetadata(view.private_metadata);
  const reason = typedIn(view.state.values, FIELDS.reason);
  if (decision === 'decline' && reason === '')
    return ack({ response_action: 'errors', errors: { [FIELDS.reason]: REASON_WANTED } });

  async function answer(person: Person): Promise<Message> {
    switch (decision) {
      case 'approve':
        return approveRequest(deps, person, request);
      case 'decline':
        return declineRequest(deps, person, request, reason);
      case 'withdraw':
        return withdrawRequest(deps, person, request);
    }
  }

  async function work(person: Person): Promise<FormResult> {
    await afterAcks();
    return { view: noticeView(TITLES.approval, (await answer(person)).text) };
  }

  await answerInTime(deps, args, work, { title: TITLES.approval });
}
