import type { Person } from '../../core/accounts/permissions.ts';
import type { JobRefusal } from '../../core/jobs/job-answers.ts';
import type { CreditsShort } from '../../core/sends/decision-answers.ts';
import { sendRefused } from '../ui/access-refusals.ts';
import type { Message } from '../ui/blocks.ts';
import { creditsShort, keyRefused, notYours } from '../ui/draft-refusals.ts';
import { listTooLong } from '../ui/limits/budget-words.ts';
import { allOptedOut } from '../ui/limits/opt-outs.ts';
import { JOB_UNLINKING } from '../ui/lists/job-sentences.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import { notLinkedFor } from './usable-link.ts';

/** The sentence for a person who can't have a text or a list here, or not now. */
export async function refusalMessage(
  deps: Pick<SlackDeps, 'core'>,
  person: Person,
  refusal: JobRefusal | CreditsShort | { kind: 'not_yours'; owner: string },
): Promise<Message> {
  switch (refusal.kind) {
    case 'not_yours':
      return notYours(refusal.owner);
    case 'credits_short':
      return creditsShort(refusal);
    case 'not_linked':
      return notLinkedFor(deps, person, refusal.channel);
    case 'refused':
      return sendRefused(refusal.why, refusal.link);
    case 'key_refused':
      return keyRefused(refusal.instanceName);
    case 'unlinking':
      return JOB_UNLINKING;
    case 'list_too_long':
      return listTooLong(refusal);
    case 'all_opted_out':
      return allOptedOut(refusal.messages);
  }
}
