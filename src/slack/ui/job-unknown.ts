import type { JobView } from '../../core/jobs/job-details.ts';
import { isOver } from './job-figures.ts';
import { unknownHeadline } from './outcome.ts';
import { credits, plural } from './words.ts';

/** What is known of a job's unknown texts, and what may be done; undefined where none is unknown. */
export function unknownOfJob(view: JobView): string | undefined {
  if (view.counts.unknown === 0) return undefined;
  // Of those that were sent again in part, the rest still needs a decision.
  const unknown = view.undecided || view.counts.unknown;
  const one = unknown === 1;
  const again =
    view.resentAs === undefined
      ? `${one ? 'It was' : 'They were'} not repeated, and won’t be by ${one ? 'itself' : 'themselves'}.`
      : `${one ? 'It was' : 'They were'} sent again since, by a job with its own card: whoever got the first text has both.`;
  return `${unknownHeadline(view)} · ${plural(unknown, 'text')}. ${whatTheBalanceSays(view)} ${again}`;
}

function whatTheBalanceSays(view: JobView): string {
  const { evidence, counts } = view;
  const left = `${counts.unknown === 1 ? 'The request' : 'The requests'} left without a clear answer.`;
  const soon = isOver(view) ? 'in a moment' : 'at the end';
  if (!evidence) return `${left} Switchboard looks at the balance ${soon}, and says here what it tells.`;
  const { verdict, before = 0, after = 0, messages = counts.unknown } = evidence;
  const together =
    messages > counts.unknown
      ? ` The figures speak of ${plural(messages, 'unknown text')} of this account together.`
      : '';
  const others = 'Other users of the key cannot be excluded, so this is no proof.';
  const taken = `${credits(before - after)} ${before - after === 1 ? 'was' : 'were'} taken from the balance`;
  switch (verdict) {
    case 'probably_not_sent':
      return `${left} Nothing was charged.${together} ${others}`;
    case 'probably_sent':
      return `${left} ${taken}, as all of them cost.${together} ${others} A charge proves a charge, not a delivery.`;
    case 'undecided':
      return `${left} ${taken}, which is not what all of them cost: which were charged cannot be told.${together} ${others}`;
    case 'topped_up':
      return `${left} The credits were topped up meanwhile, so the balance does not tell what was charged.`;
    case 'none':
      return `${left} The balance does not tell what was charged.`;
  }
}
