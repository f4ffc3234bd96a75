import type { Person } from '../../core/accounts/permissions.ts';
import type { ReplyTo } from '../answers/replies.ts';
import { membershipRefusal, usableLink } from '../people/usable-link.ts';
import { bulkForm } from '../ui/bulk-form.ts';
import { needsChannel } from '../ui/refusals.ts';
import { noticeView, TITLES } from '../ui/views.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import { writeMetadata } from './form-metadata.ts';
import { openModal } from './open-modal.ts';

/** What the list form begins with. */
export interface ListPrefill {
  recipients?: string;
  message?: string;
  /** A file that is used again. */
  file?: { id: string; name: string };
  /** Which of its columns holds the numbers. */
  phoneColumn?: number;
  /** Why it is prefilled. Plain text. */
  notice?: string;
}

/** Opens the list form: for this channel, or where it is not linked, for one of those the person can send from. */
export async function openBulkForm(
  deps: SlackDeps,
  request: { person: Person; channel: string; triggerId: string; to: ReplyTo; replaces?: string },
  prefilling: Promise<ListPrefill> = Promise.resolve({}),
): Promise<void> {
  const { person, channel, to, triggerId, replaces } = request;

  async function make() {
    const { phoneColumn, ...prefill } = await prefilling;
    const { file } = prefill;
    const metadata = {
      to,
      ...(replaces === undefined ? {} : { replaces }),
      ...(file === undefined ? {} : { file }),
      ...(phoneColumn === undefined ? {} : { phoneColumn }),
    };
    const editing = replaces !== undefined;
    const usable = await usableLink(deps, person, channel);
    const isHere = channel === to.channel;
    if ('linked' in usable && (isHere || !(await membershipRefusal(deps, person, channel)))) {
      const payer = isHere ? {} : { payer: channel };
      return bulkForm({ ...prefill, ...payer, editing, metadata: writeMetadata({ ...metadata, channel }) });
    }
    const channels = await deps.conversations.sendableBy(person);
    if (channels.length === 0) return noticeView(TITLES.bulkForm, needsChannel([]).text);
    return bulkForm({ ...prefill, editing, channels, metadata: writeMetadata(metadata) });
  }

  await openModal(deps, triggerId, TITLES.bulkForm, make());
}
