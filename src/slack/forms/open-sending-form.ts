import type { View } from '@slack/types';
import type { Channel } from '../people/conversations.ts';
import { membershipRefusal, usableLink } from '../people/usable-link.ts';
import type { SlackRequest } from '../requests/slack-request.ts';
import { needsChannel } from '../ui/access-refusals.ts';
import { noticeView } from '../ui/views.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import { openModal } from './open-modal.ts';

/** Who wants to send from where; the form asks for a channel that is missing. `replaces`: the draft that the new one takes the place of. */
export interface SendingRequest extends SlackRequest {
  replaces?: string;
}

/** The channel that sends, or those to choose from. `payer`: the same channel, where the form is opened elsewhere. */
export type SendingFrom = { channel: string; payer?: string } | { channels: Channel[] };

/** Opens a form that sends: for this channel, or where it is not linked, for one of those the person can send from. */
export async function openSendingForm(
  deps: SlackDeps,
  { person, channel, triggerId, to }: SendingRequest,
  title: string,
  form: (from: SendingFrom) => View | Promise<View>,
): Promise<void> {
  async function make() {
    const usable = channel !== '' && (await usableLink(deps, person, channel));
    const isHere = channel === to.channel;
    if (usable && 'linked' in usable && (isHere || !(await membershipRefusal(deps, person, channel))))
      return form(isHere ? { channel } : { channel, payer: channel });
    const channels = await deps.conversations.sendableBy(person);
    return channels.length === 0 ? noticeView(title, needsChannel([]).text) : form({ channels });
  }
  await openModal(deps, triggerId, title, make());
}
