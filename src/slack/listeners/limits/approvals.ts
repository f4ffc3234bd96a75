import { mayAdminister } from '../../../core/accounts/permissions.ts';
import { refuseIf } from '../../answers/apology.ts';
import { chosenOf, typedIn, writeMetadata } from '../../forms/form-data.ts';
import { approversOf, isNobodyLeft, requestsOf, rightsOf } from '../../people/approval-rights.ts';
import type { CommandHandler } from '../../requests/slack-request.ts';
import { staleDraft } from '../../ui/draft-refusals.ts';
import { FIELDS, REQUEST_DECISIONS, type RequestDecision } from '../../ui/ids.ts';
import * as answers from '../../ui/limits/approval-answers.ts';
import { waitingForApproval } from '../../ui/limits/approval-card.ts';
import { approvalForm, DECISION_WANTED, REASON_WANTED } from '../../ui/limits/approval-forms.ts';
import { approvalsMessage, endOf } from '../../ui/limits/approval-words.ts';
import { readBulkValue } from '../../ui/lists/list-repeats.ts';
import { readEvenIfSent, withEvenIfSent } from '../../ui/may-be-sent.ts';
import { TITLES } from '../../ui/views.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import type { Click, ClickHandler } from '../click.ts';
import { answerTooLate, sayWaiting } from '../press-send.ts';
import { answered, submitterOf } from '../submission.ts';
import { decideRequest } from './decide-request.ts';

export const approve: ClickHandler = async (deps, click) => {
  const { person, answer } = click;
  const { value, evenIfSent } = readEvenIfSent(click.value);
  const onWait = () => sayWaiting(deps, click);
  await answer(await decideRequest(deps, person, value, { decision: 'approve', evenIfSent, onWait }));
};

export const withdraw: ClickHandler = async (deps, { person, value, answer }) =>
  answer(await decideRequest(deps, person, value, { decision: 'withdraw' }));

/** **Read** shows a request to its approvers and to the asker. Only admins and the asker see whole numbers. */
export const readRequest = openRequest(REQUEST_DECISIONS);

/** **Decline**: the same form, for this decision and its reason. */
export const openDecline = openRequest(['decline']);

function openRequest(decisions: readonly RequestDecision[]): ClickHandler {
  return async (deps, { person, value, open, to }) => {
    await open(TITLES.approval, async () => {
      const request = await deps.core.approvals.view(value);
      if (!request) return answers.REQUEST_GONE.text;
      // The button stays in old answers of `/sms approvals`. Once a request is over, show its words to nobody.
      const end = endOf(request);
      if (end !== undefined) return end;
      const may = rightsOf(person, request).filter((decision) => decisions.includes(decision));
      if (may.length === 0) return answers.notApprover(approversOf(request)).text;
      const whole = mayAdminister(person) || person.id === request.approval.askedBy;
      const [decision, ...others] = may;
      return approvalForm(
        request,
        { may, whole },
        writeMetadata({
          to,
          request: withEvenIfSent(value, request.view),
          decision: others.length === 0 ? decision : undefined,
        }),
      );
    });
  };
}

/** `/sms approvals`: what waits for this person's approval, and what they asked for. */
export const approvalsCommand: CommandHandler = async ({ core }, { person, answer }) => {
  await answer(approvalsMessage(requestsOf(person, await core.approvals.waiting())));
};

/** Handles the submitted request form: approve, decline or withdraw. */
export const submitApproval = answered(async (deps, form) => {
  const decision = form.metadata.decision ?? chosenOf(form.values, FIELDS.decision, REQUEST_DECISIONS);
  if (!decision) return { errors: { [FIELDS.decision]: DECISION_WANTED } };
  const { value: request, evenIfSent } = readEvenIfSent(form.metadata.request ?? '');
  const reason = typedIn(form.values, FIELDS.reason);
  if (decision === 'decline' && reason === '') return { errors: { [FIELDS.reason]: REASON_WANTED } };
  const person = await submitterOf(deps, form);
  return { notice: (await decideRequest(deps, person, request, { decision, reason, evenIfSent })).text };
});

/** **Ask for approval**: the outbox posts the card, even if this process dies. */
export async function askApproval(deps: SlackDeps, click: Click, why?: 'budget'): Promise<void> {
  const { core } = deps;
  const { person, value, to, answer, replace } = click;
  const { id, include } = readBulkValue(value);
  const draft = (await core.jobs.view(id)) ?? (await core.sends.view(id));
  refuseIf(draft && (await deps.rights.membershipRefusal(person, draft.channel)));
  const nobodyLeft = (others: readonly string[]) => isNobodyLeft(deps.access, person, others);
  const asked = await core.approvals.ask(id, person, to, { why, include, isNobodyLeft: nobodyLeft });
  if (draft) deps.log.info({ send: draft.id, result: asked.kind }, 'somebody pressed Ask for approval');
  switch (asked.kind) {
    case 'asked':
    case 'too_late': {
      const { view } = asked;
      const request = view.state === 'awaiting_approval' && (await core.approvals.view(id));
      if (request) return replace(waitingForApproval(request));
      return answerTooLate(click, view);
    }
    case 'missing':
      return replace(staleDraft());
    case 'nobody_to_ask': {
      const { channel = '' } = draft ?? {};
      const isAdmin = mayAdminister(person);
      return answer(answers.nobodyToAsk(asked.named, { why, asker: person.id, isAdmin, channel }));
    }
    default:
      return answer(await deps.rights.refusalMessage(person, asked, draft));
  }
}

/** **Ask for approval** if a budget is short. Only admins can approve that. */
export const askException: ClickHandler = (deps, click) => askApproval(deps, click, 'budget');
