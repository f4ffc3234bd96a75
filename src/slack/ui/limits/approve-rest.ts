import type { JobControlled } from '../../../core/jobs/job-answers.ts';
import type { JobView } from '../../../core/jobs/job-view.ts';
import { adminsToAsk } from '../access-refusals.ts';
import { type Message, message } from '../blocks.ts';
import { count, credits, mention } from '../words.ts';

/** A list that takes more than a second person approved, or than goes without one. */

/** What happened to it: a sentence. */
export function dearerThanApproved({ approval, details: { estimate } }: JobView): string {
  return approval?.by === undefined
    ? 'The texts cost more than estimated, so a second person approves the rest.'
    : `The texts cost more than the ${credits(estimate.credits)} that were approved.`;
}

/** **Resume**, by somebody who can't approve the rest. */
export function restNeedsApproval({
  above: { approvedUpTo, asked },
  view: { approval },
  isOwn,
  approvers,
}: Extract<JobControlled, { kind: 'above_approved' }>): Message {
  const limit =
    approval?.by === undefined
      ? `Above ${credits(approvedUpTo)} a second person approves.`
      : `Up to ${count(approvedUpTo)} are approved.`;
  const next = isOwn
    ? 'The list is your own, so somebody else has to press *Resume*.\nFor a team of one person, an admin can allow *Own approval* in `/sms limits`.'
    : `Please ask ${adminsToAsk(approvers)} to press *Resume* on the card. Or press *Stop*.`;
  return message(
    `⏸ *Still paused: it needs approval.* The whole list may take ${credits(asked)}.\n${limit}\n${next}`,
  );
}

/** Who approved the rest of it, as small print. */
export function restApprovedLine({ details: { restApprovedBy } }: JobView): string[] {
  return restApprovedBy === undefined ? [] : [`${mention(restApprovedBy)} approved the dearer rest`];
}
