import type { JobControlled } from '../../../core/jobs/job-answers.ts';
import type { JobView } from '../../../core/jobs/job-view.ts';
import { adminsToAsk } from '../access-refusals.ts';
import { type Message, message } from '../blocks.ts';
import { count, credits, mention } from '../words.ts';

/** A list that takes more than a second person approved, or than goes without one. */

/** What happened to it: a sentence. */
export function dearerThanApproved(view: JobView): string {
  const { approval, details } = view;
  const inAll = `about ${credits(atThisPrice(view))} in all`;
  return approval?.by === undefined
    ? `The texts cost more than estimated: ${inAll}, so a second person approves the rest.`
    : `The texts cost more than the ${credits(details.estimate.credits)} that were approved: ${inAll}.`;
}

/** What the whole list takes where the rest costs as much as what was sent, in credits. */
function atThisPrice({ creditsUsed, counts: { sent, left, otherStatuses } }: JobView): number {
  const taken = Object.values(otherStatuses).reduce((sum, texts) => sum + texts, sent);
  return creditsUsed + Math.ceil((creditsUsed / Math.max(1, taken)) * left);
}

/** **Resume**, by somebody who can't approve the rest, or has not read yet what it waits for. */
export function restNeedsApproval({
  above: { approvedUpTo, asked },
  view: { approval },
  right,
  approvers,
}: Extract<JobControlled, { kind: 'above_approved' }>): Message {
  const limit =
    approval?.by === undefined
      ? `Above ${credits(approvedUpTo)} a second person approves.`
      : `Up to ${count(approvedUpTo)} are approved.`;
  const next = {
    may: 'If that is all right, press *Resume* once more: the rest then goes on at its price. Or press *Stop*.',
    own: 'The list is your own, so somebody else has to press *Resume*.\nFor a team of one person, an admin can allow *Own approval* in `/sms limits`.',
    not_approver: `Please ask ${adminsToAsk(approvers)} to press *Resume* on the card. Or press *Stop*.`,
  }[right];
  return message(
    `⏸ *Still paused: it needs approval.* The whole list may take ${credits(asked)}.\n${limit}\n${next}`,
  );
}

/** Who approved the rest of it, as small print. */
export function restApprovedLine({ details: { restApprovedBy } }: JobView): string[] {
  return restApprovedBy === undefined ? [] : [`${mention(restApprovedBy)} approved the dearer rest`];
}
