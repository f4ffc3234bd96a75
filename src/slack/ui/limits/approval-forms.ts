import type { KnownBlock, ModalView } from '@slack/types';
import type { ApprovalRequest } from '../../../core/approvals/approvals.ts';
import { button, facts, listed, type Message, section } from '../blocks.ts';
import { ACTIONS, FIELDS, type RequestDecision, VIEWS } from '../ids.ts';
import { field, modal, option, radios, textInput } from '../modal.ts';
import { TITLES } from '../views.ts';
import { estimatedCredits, mention, present, when } from '../words.ts';
import { requestFacts, requestWords } from './approval-card.ts';
import { whatOf } from './approval-words.ts';

const DECISION_WORDS: { [decision in RequestDecision]: string } = {
  approve: 'Approve and send',
  decline: 'Decline',
  withdraw: 'Withdraw',
};

/** What a request is about, in full, with what this person may do. `whole`: they see whole numbers. */
export function approvalForm(
  request: ApprovalRequest,
  { may, whole }: { may: readonly RequestDecision[]; whole: boolean },
  metadata: string,
): ModalView {
  const { headline, figures } = requestFacts(request);
  const options = may.map((decision) => option(decision, DECISION_WORDS[decision]));
  const [only, ...others] = may;
  const chosen = others.length === 0 ? only : undefined;
  return modal({
    id: VIEWS.approvalForm,
    title: TITLES.approval,
    submit: chosen === undefined ? 'Decide' : DECISION_WORDS[chosen],
    blocks: present(
      section(headline),
      facts(figures),
      ...requestWords(request, { whole }),
      field(FIELDS.decision, 'Decision', radios(options, chosen)),
      may.includes('decline') && reasonField({ optional: true }),
    ),
    metadata,
  });
}

/** Plain text, at its field. */
export const DECISION_WANTED = 'Please choose one of these.';
export const REASON_WANTED = 'Please say why. The person who asked reads it.';

function reasonField({ optional }: { optional: boolean }): KnownBlock {
  const hint = `${optional ? 'Only to decline. ' : ''}The person who asked reads it.`;
  return field(FIELDS.reason, 'Reason', textInput({ multiline: true }), { hint, optional });
}

export function declineForm(request: ApprovalRequest, metadata: string): ModalView {
  return modal({
    id: VIEWS.declineForm,
    title: TITLES.decline,
    submit: 'Decline',
    blocks: [
      section(
        `${mention(request.approval.askedBy)} wants to send ${whatOf(request)}. Once you decline, nothing is sent.`,
      ),
      reasonField({ optional: false }),
    ],
    metadata,
  });
}

/** How many requests of a kind are listed, and named where blocks are not shown. */
const MOST_LISTED = 10;
const MOST_NAMED = 5;

/** What waits for a person's approval, and what they asked for. */
export interface RequestsOfPerson {
  forMe: readonly ApprovalRequest[];
  mine: readonly ApprovalRequest[];
}

/** `/sms approvals`: what waits for this person, and what they asked for. */
export function approvalsMessage({ forMe, mine }: RequestsOfPerson): Message {
  const blocks = approvalBlocks({ forMe, mine }, MOST_LISTED);
  const nothing = 'Nothing waits for your approval, and no request of yours waits.';
  const lines = [forMe, mine].flatMap((some) => some.slice(0, MOST_NAMED).map(requestLine));
  return {
    text: lines.length === 0 ? nothing : lines.join('\n'),
    blocks: lines.length === 0 ? [section(nothing)] : blocks,
  };
}

/** The same as blocks, a limited number of each. */
export function approvalBlocks({ forMe, mine }: RequestsOfPerson, most: number): KnownBlock[] {
  return [
    ...listed('Waiting for your approval', forMe, most, requestBlock),
    ...listed('You asked for approval', mine, most, requestBlock),
  ];
}

function requestBlock(request: ApprovalRequest): KnownBlock {
  return section(requestLine(request), button(ACTIONS.readRequest, 'Read', request.view.id));
}

function requestLine(request: ApprovalRequest): string {
  const { view, approval } = request;
  return `🕓 ${mention(approval.askedBy)} · ${whatOf(request)} · ${estimatedCredits(view.details.estimate)} · <#${view.channel}> · until ${when(view.expiresAt)}`;
}
