import type { Button, KnownBlock } from '@slack/types';
import { limitsOf } from '../../../core/accounts/channel-limits.ts';
import { isOwnRequest, namedApprovers } from '../../../core/accounts/permissions.ts';
import type { ApprovalRequest } from '../../../core/approvals/approvals.ts';
import { waitsAbove } from '../../../core/jobs/job-view.ts';
import { SWITCHBOARD } from '../../../core/sends/decision-answers.ts';
import { button, context, figures, joined, type Message, message, typed, typedBelow } from '../blocks.ts';
import { CHECK, draftOf, nothingSent } from '../expired-draft.ts';
import { ACTIONS } from '../ids.ts';
import { countriesOf, sampleBlocks } from '../lists/bulk-figures.ts';
import { waiting } from '../lists/job-headline.ts';
import { repeatsLine } from '../lists/list-repeats.ts';
import { resumeValue } from '../lists/resume-value.ts';
import { approveButton, MAY_BE_SENT } from '../may-be-sent.ts';
import { maskedRecipient, shortRecipient } from '../outcome-words.ts';
import { payerLine } from '../payer.ts';
import { sameWordsLine } from '../texts/same-words.ts';
import { capitalised, count, estimatedCredits, estimatedRest, inLines, mention, when } from '../words.ts';
import { approversWords, endOf, whatOf } from './approval-words.ts';
import { dearerThanApproved, restApprovedLine } from './approve-rest.ts';

const TWICE = {
  single: '⚠️ The outcome of the first text is unknown: the recipient may get it twice.',
  job: '⚠️ The outcome of the first texts is unknown: the recipients may get them twice.',
} as const;

/** The part that all views of a request share: who asks, to how many, for how much. Shows no text and no full number. */
export function requestSummary(request: ApprovalRequest): Message {
  const { approval, view } = request;
  const { same } = approval;
  const to = request.kind === 'job' ? countriesOf(request.view.details.list) : maskedRecipient(request.view);
  const why = approval.why === 'budget' ? ', beyond the budget' : '';
  return joined(
    `🕓 *Approval needed*: ${mention(approval.askedBy)} wants to send ${whatOf(request)} from <#${view.channel}>${why}`,
    figures([
      ['To', to],
      ['Cost', estimatedCredits(view.details.estimate)],
      ['Balance', balanceOf(request)],
      ['Waits until', when(view.expiresAt)],
    ]),
    inLines(
      view.mayBeSent && MAY_BE_SENT,
      view.resends && TWICE[request.kind],
      request.kind === 'job' ? repeatsLine(request.view) : same && sameWordsLine(same),
    ),
  );
}

/** The balance now, and after this request, as its preview shows it. */
function balanceOf({ view, balance }: ApprovalRequest): string {
  if (balance === undefined) return 'not known';
  const { estimate } = view.details;
  const { credits: most, least = most } = estimate;
  if (balance.credits < least) return `${count(balance.credits)}: not enough`;
  if (balance.credits < most) return `${count(balance.credits)}: perhaps not enough`;
  return `${count(balance.credits)} → ${estimatedRest(balance.credits, estimate)}`;
}

/** The words of a request, for approvers and for the person who asked. `whole`: with full phone numbers. */
export function requestWords(request: ApprovalRequest, { whole }: { whole: boolean }): KnownBlock[] {
  return request.kind === 'job'
    ? sampleBlocks(request.view.details.list, { whole })
    : [typed(request.view.text)];
}

/** The request's card in its channel. Everybody there sees the card, so it shows no text. */
export function channelCard(request: ApprovalRequest): Message {
  const { id } = request.view;
  const read = button(ACTIONS.readRequest, 'Read', id);
  const withdraw = button(ACTIONS.withdrawRequest, 'Withdraw', id);
  return card(request, [], [read, ...decideButtons(request), withdraw]);
}

/** The same in an approver's direct messages, with the words. Without them if the person may not approve any more. */
export function approverCard(request: ApprovalRequest, approver: { whole: boolean } | undefined): Message {
  if (!approver) return card(request, [context('Other people decide this now.')], []);
  if (request.kind === 'job' && waitsAbove(request.view) !== undefined) return dearerCard(request);
  return card(request, requestWords(request, approver), decideButtons(request));
}

/** For a list that takes more than somebody approved. Its own card is in the channel, and approvers need not be there. */
function dearerCard(request: ApprovalRequest & { kind: 'job' }): Message {
  const { view } = request;
  const paused = `⏸ *Paused*: ${whatOf(request)} from <#${view.channel}>, asked for by ${mention(request.approval.askedBy)}`;
  return message(
    `${paused}\n${dearerThanApproved(view)} ${waiting(view)}\nPress *Resume* to see how much the whole list may take, and to approve it.`,
    button(ACTIONS.resumeJob, 'Resume', resumeValue(view)),
  );
}

function card(request: ApprovalRequest, words: KnownBlock[], row: Button[]): Message {
  const end = endOf(request);
  if (end !== undefined) {
    const { askedBy, askedAt } = request.approval;
    const asked = `${mention(askedBy)} asked ${when(askedAt)} for ${whatOf(request)}, ${estimatedCredits(request.view.details.estimate)}`;
    const rest = request.kind === 'job' && restApprovedLine(request.view);
    return message(end, context(inLines(asked, rest)));
  }
  return joined(requestSummary(request), ...words, ...row);
}

function decideButtons({ view }: ApprovalRequest): Button[] {
  return [approveButton(view), button(ACTIONS.declineRequest, 'Decline', view.id)];
}

/** Takes the draft's place, for the person who asked. */
export function waitingForApproval(request: ApprovalRequest): Message {
  const { kind, view, approval } = request;
  const [edit, cancel] =
    kind === 'job' ? [ACTIONS.editBulk, ACTIONS.cancelBulk] : [ACTIONS.editDraft, ACTIONS.cancelDraft];
  const what = kind === 'single' ? `a text to ${shortRecipient(view)}` : whatOf(request);
  return message(
    inLines(
      payerLine(view),
      `🕓 *Waiting for approval*: ${what}, ${estimatedCredits(view.details.estimate)}.`,
      `Asked ${when(approval.askedAt)}. Without an answer it expires ${when(view.expiresAt)}.`,
      `${capitalised(approversWords(whoCanApprove(request)))} can approve it.`,
    ),
    kind === 'single' && typed(view.text),
    !view.resends && button(edit, 'Edit', view.id),
    button(cancel, 'Withdraw', view.id),
  );
}

/** Empty: the admins. Nobody approves their own request, unless the channel's limits allow that. */
function whoCanApprove({ linked, approval }: ApprovalRequest): readonly string[] {
  if (!linked) return [];
  const limits = limitsOf(linked.link);
  return namedApprovers(limits, approval.why).filter(
    (each) => !isOwnRequest(approval.askedBy, each, limits.ownApproval),
  );
}

/** Tells the person who asked that their request was declined, sent back or has expired. **Edit** begins another one. */
export function askerNews(request: ApprovalRequest): Message {
  const { view, approval, kind } = request;
  const { to, hasWords, reopen } = draftOf(view);
  const what = kind === 'single' && hasWords ? `the text to ${to}` : whatOf(request);
  const reason = approval.by === SWITCHBOARD ? undefined : approval.reason;
  const then = view.mayBeSent ? `. ${CHECK}` : ', and no credits were used.';
  return message(
    `${endOf(request) ?? ''}\n${capitalised(what)}: ${nothingSent(view)}${then}`,
    ...typedBelow('The reason:', reason),
    !view.resends && hasWords && button(reopen, 'Edit', view.id),
  );
}
