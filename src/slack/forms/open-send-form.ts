import type { Person } from '../../core/accounts/permissions.ts';
import type { ReplyTo } from '../answers/replies.ts';
import { membershipRefusal, usableLink } from '../people/usable-link.ts';
import { needsChannel } from '../ui/refusals.ts';
import { sendForm } from '../ui/send-form.ts';
import { noticeView, TITLES } from '../ui/views.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import { writeMetadata } from './form-metadata.ts';
import { openModal } from './open-modal.ts';

/** Opens the send form: for this channel, or where it is not linked, for one of those the person can send from. */
export async function openSendForm(
  deps: SlackDeps,
  request: {
    person: Person;
    channel: string;
    triggerId: string;
    to: ReplyTo;
    recipient?: string;
    message?: string;
    replaces?: string;
  },
): Promise<void> {
  const { person, channel, to, triggerId, replaces, ...prefill } = request;

  async function make() {
    const metadata = { to, ...(replaces === undefined ? {} : { replaces }) };
    const editing = replaces !== undefined;
    const usable = await usableLink(deps, person, channel);
    const isHere = channel === to.channel;
    if ('linked' in usable && (isHere || !(await membershipRefusal(deps, person, channel)))) {
      const payer = isHere ? {} : { payer: channel };
      return sendForm({ ...prefill, ...payer, editing, metadata: writeMetadata({ ...metadata, channel }) });
    }
    const channels = await deps.conversations.sendableBy(person);
    if (channels.length === 0) return noticeView(TITLES.sendForm, needsChannel([]).text);
    return sendForm({ ...prefill, editing, channels, metadata: writeMetadata(metadata) });
  }

  await openModal(deps, triggerId, TITLES.sendForm, make());
}
