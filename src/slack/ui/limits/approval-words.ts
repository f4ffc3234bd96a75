import type { Button, KnownBlock } from '@slack/types';
import type { ApprovalRequest } from '../../../core/approvals/approvals.ts';
import { type NeedsApproval, SWITCHBOARD } from '../../../core/sends/decision-answers.ts';
import { button, listed, type Message, message, section } from '../blocks.ts';
import { nothingSent, whyExpiredEarly } from '../expired-draft.ts';
import { ACTIONS } from '../ids.ts';
import { listOf } from '../lists/job-headline.ts';
import { capitalised, count, credits, estimatedCredits, mention, plural, when } from '../words.ts';

/** The answer to a click on a draft that already waits for approval. */
export const STILL_WAITS = 'This waits for approval. `/sms approvals` shows it. Nothing was sent.';

/** Names what somebody wants to send: `a text`, `4,213 texts (summer.csv)`. */
export function whatOf(request: ApprovalRequest): string {
  if (request.kind === 'single') return 'a text';
  const { view } = request;
  return view.details.given.file
    ? `${plural(view.counts.total, 'text')} (${listOf(view)})`
    : plural(view.counts.total, 'text');
}

/** How a request ended, in one line without a person's reason; undefined while the request waits. */
export function endOf({ view, approval }: ApprovalRequest): string | undefined {
  const { by = '', at = 0, askedBy } = approval;
  const approvedBy = `✅ *Approved* by ${mention(by)} ${when(at)}`;
  switch (view.state) {
    case 'draft':
    case 'awaiting_approval':
      return undefined;
    case 'declined':
      return by === SWITCHBOARD
        ? `↩️ *Sent back* ${when(at)}: ${approval.reason ?? ''}`
        : `⛔ *Declined* by ${mention(by)} ${when(at)}`;
    case 'cancelled':
      return view.undoneBy === undefined
        ? `*Withdrawn* by ${mention(askedBy)}`
        : `${approvedBy}, then undone by ${mention(view.undoneBy)}: ${nothingSent(view)}`;
    case 'superseded':
      return `*Withdrawn* by ${mention(askedBy)}, to edit it`;
    case 'expired':
      return `*Expired*: ${whyExpiredEarly(view) ?? `nobody approved it in time${view.mayBeSent ? ', or the approval was lost' : ''}`}`;
    case 'running':
    case 'paused':
    case 'finished':
    case 'stopped':
      return approvedBy;
  }
}

/** Who approved a text or list, and when somebody asked for approval; undefined if nobody had to approve. */
export function approvalLine(approval: ApprovalRequest['approval'] | undefined): string | undefined {
  if (approval?.by === undefined || approval.at === undefined) return undefined;
  return `Approved by ${mention(approval.by)} ${when(approval.at)} · asked ${when(approval.askedAt)}`;
}

const MOST_NAMED = 5;

/** **Ask for approval** replaces Send. If a budget is short, only an admin can approve. */
export function askButton(id: string, why?: 'budget'): Button {
  return why === 'budget'
    ? button(ACTIONS.askException, 'Ask for approval', id)
    : button(ACTIONS.askApproval, 'Ask for approval', id, 'primary');
}

export function whyApproval(above: number): string {
  return above === 0
    ? 'Every text needs a second person’s approval.'
    : `Above ${credits(above)}, a second person has to approve.`;
}

/** Somebody pressed Send on a draft that a second person has to approve. */
export function needsApproval(needed: Omit<NeedsApproval, 'kind'>, ask: Button): Message {
  const { asked, above, approvers } = needed;
  return message(
    `⛔ This may take ${credits(asked)}. ${whyApproval(above)} Nothing was sent.\n${capitalised(approversWords(approvers))} can approve it.`,
    ask,
  );
}

export function approversWords(approvers: readonly string[]): string {
  if (approvers.length === 0) return 'an admin';
  return approvers.length > MOST_NAMED
    ? `one of ${count(approvers.length)} people`
    : approvers.map(mention).join(', ');
}

/** How many requests of a kind the blocks list, and how many the `text` names. */
const MOST_LISTED = 10;
const MOST_IN_TEXT = 5;

/** What waits for a person's approval, and what they asked for. */
export interface RequestsOfPerson {
  forMe: readonly ApprovalRequest[];
  mine: readonly ApprovalRequest[];
}

/** `/sms approvals`: what waits for this person, and what they asked for. */
export function approvalsMessage({ forMe, mine }: RequestsOfPerson): Message {
  const lines = [forMe, mine].flatMap((some) => some.slice(0, MOST_IN_TEXT).map(requestLine));
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
