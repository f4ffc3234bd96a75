import type { JobView } from '../../../core/jobs/job-view.ts';
import type { HowToResume, JobControlled } from '../../../core/jobs/resume-job.ts';
import { peopleToAsk } from '../access-refusals.ts';
import { button, type Message, message } from '../blocks.ts';
import { ACTIONS } from '../ids.ts';
import { resumeValue } from '../lists/resume-value.ts';
import { credits, mention } from '../words.ts';

/** For a list that takes more than a second person approved, or more than it may take without approval. */

/** Why the list paused: a sentence. */
export function dearerThanApproved({ approval, details: { estimate, restApproved } }: JobView): string {
  return restApproved === undefined && approval?.by === undefined
    ? 'The texts cost more than estimated, so a second person has to approve the rest.'
    : `The texts cost more than the ${credits(restApproved?.upTo ?? estimate.credits)} that were approved.`;
}

/** The answer to **Resume** while the list takes more than was approved. `how`: which Resume it was. */
export function restNeedsApproval(
  { above, proposed, view, right, approvers }: Extract<JobControlled, { kind: 'above_approved' }>,
  how: HowToResume,
): Message {
  const isApproved = view.approval?.by !== undefined || view.details.restApproved !== undefined;
  const limit = credits(above.approvedUpTo);
  const fact =
    `⏸ *Still paused: it needs approval.* The whole list may take ${credits(above.asked)}.\n` +
    (isApproved ? `Up to ${limit} are approved.` : `Above ${limit}, a second person has to approve.`);
  const next = {
    may: 'The button adds a tenth, since prices differ from text to text.',
    own: 'The list is your own, so somebody else has to press *Resume*.\nFor a team of one person, an admin can allow *Own approval* in `/sms limits`.',
    not_approver: `Please ask ${peopleToAsk(approvers)} to press *Resume* on the card. Or press *Stop*.`,
  };
  const value = resumeValue(view, { ...how, approvedUpTo: proposed });
  return message(
    `${fact}\n${next[right]}`,
    right === 'may' && button(ACTIONS.approveRest, `Approve up to ${credits(proposed)}`, value, 'primary'),
  );
}

export function restApproved({ approvedUpTo = 0 }: HowToResume): Message {
  return message(`✅ *Approved* up to ${credits(approvedUpTo)}. The list goes on.`);
}

/** Who approved the rest of the list, as small print. */
export function restApprovedLine({ details: { restApproved } }: JobView): string | undefined {
  return restApproved && `${mention(restApproved.by)} approved up to ${credits(restApproved.upTo)}`;
}
