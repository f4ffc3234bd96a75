import type { Button } from '@slack/types';
import type { JobView } from '../../../core/jobs/job-view.ts';
import { button } from '../blocks.ts';
import { ACTIONS } from '../ids.ts';
import { count, plural } from '../words.ts';

/** Follows a draft's id in the value of a button that includes the repeats. */
const WITH_REPEATS = '/include';

/** How many people on a list already got these words, and whether they get them again; undefined if nobody did. */
export function repeatsLine({ details: { list, repeats } }: JobView): string | undefined {
  if (!repeats) return undefined;
  const { messages, included, withinMs } = repeats;
  const all = included ? list.toSend : list.toSend + messages;
  const hours = withinMs / 3_600_000;
  const got = `already got these words in the last ${hours === 1 ? 'hour' : plural(hours, 'hour')}`;
  const some = `${count(messages)} of ${plural(all, 'recipient')}`;
  if (included) return `⚠️ *${some} ${got}: they get them again.*`;
  return messages === all
    ? `⚠️ *${messages === 1 ? 'The one recipient' : `All ${count(all)} recipients`} ${got}, so there is nothing to send.*`
    : `⚠️ *${some} ${got}: left out.*`;
}

/** **Include them**, or **Leave them out** if they are included. */
export function repeatsButton({ id, details: { repeats } }: JobView): Button | undefined {
  if (!repeats) return undefined;
  return repeats.included
    ? button(ACTIONS.leaveOutRepeats, 'Leave them out', id)
    : button(ACTIONS.includeRepeats, 'Include them', id);
}

/** The value of a button that acts on the draft as it is shown, with repeats or without. */
export function bulkValue({ id, details: { repeats } }: JobView): string {
  return repeats?.included ? `${id}${WITH_REPEATS}` : id;
}

/** Reads that value: the draft's id, and whether its repeats are included. */
export function readBulkValue(value: string): { id: string; include: boolean } {
  const include = value.endsWith(WITH_REPEATS);
  return { id: include ? value.slice(0, -WITH_REPEATS.length) : value, include };
}
