import type { ApprovalRequest } from '../../../core/approvals/approvals.ts';
import type { Unfit } from '../../../core/sends/decision-answers.ts';
import { peopleToAsk } from '../access-refusals.ts';
import { button, type Message, message } from '../blocks.ts';
import { unknownRefused } from '../draft-refusals.ts';
import { nothingSent } from '../expired-draft.ts';
import { ACTIONS } from '../ids.ts';
import { KEY_TROUBLE } from '../key-trouble.ts';
import { cardShows } from '../lists/draft-answers.ts';
import { approveButton, MAY_BE_SENT } from '../may-be-sent.ts';
import { quoted } from '../safe-text.ts';
import { sameWordsReason } from '../texts/same-words.ts';
import { capitalised, count, credits, estimatedCredits, mention, mentions, plural } from '../words.ts';
import { endOf, STILL_WAITS, whatOf } from './approval-words.ts';
import { overBudgetWords } from './budget-words.ts';
import { isBeforeStart, undoUntil } from './undo.ts';

/** Answers to people who decide a request for approval, and to people who may not. */

/** Why we do not send a request that somebody approved: a sentence. */
export function unfitReason(why: Unfit<ApprovalRequest['view']>, askedBy: string): string {
  switch (why.kind) {
    case 'not_linked':
      return 'The channel is not linked any more.';
    case 'refused':
      return `${mention(askedBy)} can’t send from the channel any more.`;
    case 'asker_away':
      return `${mention(askedBy)} has left the channel, or Switchboard can’t see who is in it.`;
    case 'opted_out':
      return 'The number was opted out since. `/sms optouts` says more.';
    case 'unlinking':
      return 'The channel will be unlinked once its jobs are done, so no new job can begin.';
    case 'key_refused':
    case 'other_account':
      return `${capitalised(KEY_TROUBLE[why.kind](`the API key of ${quoted(why.instanceName)}`))}.`;
    case 'credits_short':
      return `The request needs ${credits(why.needed)}, and the account has ${count(why.available)}.`;
    case 'dearer':
      return `The request now costs ${estimatedCredits(why.now)}. It said ${estimatedCredits(why.was)}.`;
    case 'resend_refused':
      return unknownRefused(why.why).text;
    case 'same_words':
      return sameWordsReason(why.same);
    case 'list_too_long':
      return `The list has ${plural(why.recipients, 'recipient')}, and lists here may have ${count(why.most)}.`;
    case 'over_budget':
      return overBudgetWords(why.over, 'counts' in why.view ? 'list' : 'text', why.view.channel);
  }
}

/** Somebody approved the request: we send it, or it waits for its undo time. `now`: ms since 1970. */
export function approvedMessage(request: ApprovalRequest, now: number): Message {
  const { kind, view, approval } = request;
  const asker = mention(approval.askedBy);
  const approved = `✅ *Approved*: ${whatOf(request)}, asked for by ${asker}.`;
  if (kind === 'job') return message(`${approved}\n${cardShows(view, now)}`);
  return message(
    `${approved}\n${isBeforeStart(view, now) ? `${asker} has ${undoUntil(view)}.` : 'Sending begins now.'}`,
  );
}

/** Somebody approved the request, but the store may have forgotten an earlier approval. */
export function mayBeSent(view: ApprovalRequest['view']): Message {
  return message(
    `${MAY_BE_SENT}\nNothing was sent just now. To send it anyway, approve it again.`,
    approveButton(view),
  );
}

/** Somebody approved the request, but we could not send it as it was. */
export function sentBackMessage(reason: string, askedBy: string, view: ApprovalRequest['view']): Message {
  return message(`↩️ *Sent back*, ${nothingSent(view)}.\n${reason}\n${mention(askedBy)} was told.`);
}

export function declinedMessage({ details, mayBeSent }: ApprovalRequest['view']): Message {
  return message(
    `⛔ *Declined*, nothing is sent${mayBeSent ? ' just now' : ''}. ${mention(details.by)} was told.`,
  );
}

export function requestIsOver(request: ApprovalRequest): Message {
  const end = endOf(request);
  return message(end === undefined ? STILL_WAITS : `Too late: ${end}`);
}

export const REQUEST_GONE = message('This request is gone. Nothing was sent just now.');

export function notApprover(approvers: readonly string[]): Message {
  return message(`⛔ Only ${peopleToAsk(approvers)} can decide this. Nothing was sent.`);
}

export const OWN_REQUEST = message(
  '⛔ You asked for this yourself, so somebody else has to approve it. Nothing was sent.\n' +
    'For a team of one person, an admin can allow *Own approval* in `/sms limits`.',
);

/** Nobody can approve, or only the person who asks. `named`: the channel's approvers; empty if the admins approve. */
export function nobodyToAsk(
  named: readonly string[],
  asked: { why?: 'budget' | undefined; asker: string; isAdmin: boolean; channel: string },
): Message {
  const { why, asker, isAdmin, channel } = asked;
  const others = named.filter((each) => each !== asker);
  const fact =
    others.length > 0
      ? `*Nobody can approve this*: none of this channel’s approvers may approve any more (${mentions(others)}).`
      : `*Nobody else can approve this*: you are the only ${named.length === 0 ? 'admin' : 'approver of this channel'}.`;
  const ways =
    why === 'budget'
      ? 'allow *Own approval* or raise the budget'
      : `name ${named.length === 0 ? 'an' : 'another'} approver or allow *Own approval*`;
  const how = isAdmin ? `In *Limits* you can ${ways}.` : `An admin can ${ways} with \`/sms limits\`.`;
  return message(
    `⛔ ${fact} Nothing was sent.\n${how}`,
    isAdmin && button(ACTIONS.openLimits, 'Limits', channel),
  );
}
