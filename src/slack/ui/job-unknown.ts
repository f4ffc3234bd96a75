import type { JobView } from '../../core/jobs/job-details.ts';
import { unknownHeadline } from './outcome.ts';
import { credits, plural } from './words.ts';

/** What is known of a job's unknown texts, and what may be done; undefined where none is unknown. */
export function unknownOfJob(view: JobView): string | undefined {
  if (view.counts.unknown === 0) return undefined;
  // Of those that were sent again in part, the rest still needs a decision.
  const unknown = view.undecided || view.counts.unknown;
  const again =
    view.resentAs === undefined
      ? 'We won’t resend them by ourselves: resending may text people twice.'
      : 'They were sent again since, by a job with its own card: some people may have received it twice.';
  return `${headline(view)} · ${plural(unknown, 'text')}. ${whatTheBalanceSays(view)} ${again}`;
}

/** A balance shows charges. Of a list that was refused it can't say whether a part was sent. */
function headline(view: JobView): string {
  return view.listRefused ? '*Unknown*' : unknownHeadline(view);
}

function whatTheBalanceSays({ evidence, counts, listRefused }: JobView): string {
  if (!evidence) return 'Checking the balance for clues …';
  const { verdict, before = 0, after = 0, messages = counts.unknown } = evidence;
  const together =
    messages > counts.unknown
      ? ` The figures speak of ${plural(messages, 'unknown text')} of this account together.`
      : '';
  const taken = `${credits(before - after)} ${before - after === 1 ? 'was' : 'were'} taken from the balance`;
  const uncertain = 'Likely, but not certain: someone else may use this key.';
  switch (verdict) {
    case 'probably_not_sent':
      return listRefused
        ? `Nothing was charged for them. That does not prove that none was sent.${together}`
        : `Nothing was charged.${together} ${uncertain}`;
    case 'probably_sent':
      return `${taken}, as all of them cost.${together} ${uncertain}`;
    case 'undecided':
      return `${taken}, which is not what all of them cost.${together}`;
    case 'topped_up':
      return 'The credits were topped up meanwhile, so the balance does not tell what was charged.';
    case 'none':
      return 'The balance does not tell what was charged.';
  }
}
