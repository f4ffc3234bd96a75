import type { ModalView } from '@slack/types';
import type { ApprovalRequest } from '../../../core/approvals/approvals.ts';
import { FIELDS, type RequestDecision, VIEWS } from '../ids.ts';
import { field, modal, option, radios, textInput } from '../modal.ts';
import { TITLES } from '../views.ts';
import { requestSummary, requestWords } from './approval-card.ts';

const DECISION_WORDS: { [decision in RequestDecision]: string } = {
  approve: 'Approve and send',
  decline: 'Decline',
  withdraw: 'Withdraw',
};

/**
 * All of a request, and the decisions that this person may make. If there is only one, the form does not ask: its
 * metadata names it. `whole`: they see full phone numbers.
 */
export function approvalForm(
  request: ApprovalRequest,
  { may, whole }: { may: readonly RequestDecision[]; whole: boolean },
  metadata: string,
): ModalView {
  const options = may.map((decision) => option(decision, DECISION_WORDS[decision]));
  const [only, ...others] = may;
  const chosen = others.length === 0 ? only : undefined;
  const submit = chosen === undefined ? 'Decide' : DECISION_WORDS[chosen];
  return modal(VIEWS.approvalForm, { title: TITLES.approval, submit, metadata }, [
    ...requestSummary(request).blocks,
    ...requestWords(request, { whole }),
    chosen === undefined && field(FIELDS.decision, 'Decision', radios(options)),
    may.includes('decline') &&
      field(FIELDS.reason, 'Reason', textInput({ multiline: true }), {
        hint: `${chosen ? '' : 'Needed to decline. '}The person who asked reads it.`,
        optional: chosen === undefined,
      }),
  ]);
}

export const DECISION_WANTED = 'Please choose one of these.';
export const REASON_WANTED = 'Please say why. The person who asked reads it.';
