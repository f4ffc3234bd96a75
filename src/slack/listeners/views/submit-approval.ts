import type { Person } from '../../../core/accounts/permissions.ts';
import { approveRequest, declineRequest, withdrawRequest } from '../../answers/decide-request.ts';
import { chosenOf, typedIn } from '../../forms/view-values.ts';
import type { Message } from '../../ui/blocks.ts';
import { FIELDS, REQUEST_DECISIONS, type RequestDecision } from '../../ui/ids.ts';
import { DECISION_WANTED, REASON_WANTED } from '../../ui/limits/approval-forms.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import { answerInTime, type FormHandler, type Submission } from './submission.ts';

/** What a request is about, read and decided. */
export const submitApproval: FormHandler = (deps, form) => {
  const decision = chosenOf(form.values, FIELDS.decision, REQUEST_DECISIONS);
  return decision ? decide(deps, form, decision) : form.showErrors({ [FIELDS.decision]: DECISION_WANTED });
};

/** **Decline**, with the reason. */
export const submitDecline: FormHandler = (deps, form) => decide(deps, form, 'decline');

async function decide(deps: SlackDeps, form: Submission, decision: RequestDecision): Promise<void> {
  const { request = '' } = form.metadata;
  const reason = typedIn(form.values, FIELDS.reason);
  if (decision === 'decline' && reason === '') return form.showErrors({ [FIELDS.reason]: REASON_WANTED });

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

  const work = async (person: Person) => ({ notice: (await answer(person)).text });
  await answerInTime(deps, form, work);
}
