import type { Button } from '@slack/types';
import type { JobView } from '../../../core/jobs/job-view.ts';
import { button } from '../blocks.ts';
import { ACTIONS } from '../ids.ts';
import { count, inTheLast, plural } from '../words.ts';

/** What follows the id of a draft in a button that takes the repeats in. */
const WITH_REPEATS = '/include';

/** How many of a list got these words already, and whether they get them again; undefined where none did. */
export function repeatsLine({ details: { list, repeats } }: JobView): string | undefined {
  if (!repeats) return undefined;
  const { messages, included, withinMs } = repeats;
  const all = included ? list.toSend : list.toSend + messages;
  const got = `already got these words ${inTheLast(withinMs)}`;
  if (included) return `⚠️ *${ofAll(messages, all)} ${got}: they get them again.*`;
  return messages === all
    ? `⚠️ *${messages === 1 ? 'The one recipient' : `All ${count(all)} recipients`} ${got}, so there is nothing to send.*`
    : `⚠️ *${ofAll(messages, all)} ${got}: left out.*`;
}

function ofAll(messages: number, all: number): string {
  return `${count(messages)} of ${plural(all, 'recipient')}`;
}

/** **Include them**, or **Leave them out** where they are in. */
export function repeatsButtons({ id, details: { repeats } }: JobView): Button[] {
  if (!repeats) return [];
  return repeats.included
    ? [button(ACTIONS.leaveOutRepeats, 'Leave them out', id)]
    : [button(ACTIONS.includeRepeats, 'Include them', id)];
}

/** The value of a button that acts on the draft as it is shown: with its repeats, or without. */
export function bulkValue({ id, details: { repeats } }: JobView): string {
  return repeats?.included ? `${id}${WITH_REPEATS}` : id;
}

/** The draft that such a button is about, and whether its repeats go too. */
export function readBulkValue(value: string): { id: string; include: boolean } {
  const include = value.endsWith(WITH_REPEATS);
  return { id: include ? value.slice(0, -WITH_REPEATS.length) : value, include };
}
