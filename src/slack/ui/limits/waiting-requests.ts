import type { KnownBlock } from '@slack/types';
import type { ApprovalRequest } from '../../../core/approvals/approvals.ts';
import { button, listed, type Message, message, section } from '../blocks.ts';
import { ACTIONS } from '../ids.ts';
import { estimatedCredits, mention, when } from '../words.ts';
import { whatOf } from './approval-words.ts';

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
  const lines = [forMe, mine].flatMap((some) => some.slice(0, MOST_NAMED).map(requestLine));
  if (lines.length === 0) return message('Nothing waits for your approval, and no request of yours waits.');
  return { text: lines.join('\n'), blocks: approvalBlocks({ forMe, mine }, MOST_LISTED) };
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
