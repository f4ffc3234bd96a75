import type { Button } from '@slack/types';
import type { JobView } from '../../../core/jobs/job-view.ts';
import { button } from '../blocks.ts';
import { ACTIONS } from '../ids.ts';
import { readEvenIfSent, withEvenIfSent } from '../may-be-sent.ts';
import { count, plural } from '../words.ts';

/** Follows a draft's id in the value of a button that includes the repeats. */
const WITH_REPEATS = '/include';

/** To how many recipients we sent these words before, or may have, and what follows; undefined if to none. */
export function repeatsLine({ details: { list, repeats } }: JobView): string | undefined {
  if (!repeats) return undefined;
  const { messages, included, withinMs } = repeats;
  const all = included ? list.toSend : list.toSend + messages;
  const hours = withinMs / 3_600_000;
  const isAll = messages === all && !included;
  const allOf = all === 1 ? 'the one recipient' : `all ${count(all)} recipients`;
  const some = isAll ? allOf : `${count(messages)} of ${plural(all, 'recipient')}`;
  const rest = isAll
    ? 'There is nothing to send'
    : `This list ${included ? 'sends to them again' : 'leaves them out'}`;
  // An unknown text counts, too.
  return `⚠️ *We sent or may have sent these words to ${some} in the last ${hours === 1 ? 'hour' : plural(hours, 'hour')}.*\n${rest}.`;
}

/** **Include them**, or **Leave them out** if they are included. */
export function repeatsButton({ id, details: { repeats } }: JobView): Button | undefined {
  if (!repeats) return undefined;
  return repeats.included
    ? button(ACTIONS.leaveOutRepeats, 'Leave them out', id)
    : button(ACTIONS.includeRepeats, 'Include them', id);
}

/** The value of a button that acts on the draft as it is shown, with repeats or without. */
export function bulkValue(view: JobView): string {
  const { id, details } = view;
  return withEvenIfSent(details.repeats?.included ? `${id}${WITH_REPEATS}` : id, view);
}

/** Reads that value: the draft's id, whether its repeats are included, and whether the preview warns of a lost decision. */
export function readBulkValue(of: string) {
  const { value, evenIfSent } = readEvenIfSent(of);
  const include = value.endsWith(WITH_REPEATS);
  return { id: include ? value.slice(0, -WITH_REPEATS.length) : value, include, evenIfSent };
}
