import type { View } from '@slack/types';
import type { Channel } from '../people/conversations.ts';
import type { SlackRequest } from '../requests/slack-request.ts';
import { needsChannel } from '../ui/access-refusals.ts';
import { type BulkFormFacts, bulkForm } from '../ui/lists/bulk-form.ts';
import { type SendFormFacts, sendForm } from '../ui/texts/send-form.ts';
import { TITLES } from '../ui/views.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import { type FormMetadata, writeMetadata } from './form-metadata.ts';
import { openModal } from './open-modal.ts';

/** Who wants to send from where. The form asks for a missing channel. `replaces`: the new draft takes this one's place. */
interface SendingRequest extends SlackRequest {
  replaces?: string;
}

export type TextPrefill = Pick<SendFormFacts, 'recipient' | 'message' | 'notice'>;

export type ListPrefill = Pick<BulkFormFacts, 'recipients' | 'message' | 'notice'> &
  Pick<FormMetadata, 'file' | 'phoneColumn'>;

export async function openSendForm(
  deps: SlackDeps,
  request: SendingRequest,
  prefilling: TextPrefill | Promise<TextPrefill> = {},
): Promise<void> {
  const { to, replaces } = request;
  await openSendingForm(deps, request, TITLES.sendForm, async (from, channel) => {
    const metadata = writeMetadata({ to, replaces, channel });
    return sendForm({ ...from, ...(await prefilling), editing: replaces !== undefined, metadata });
  });
}

/** The form for a whole list. Words behind `/sms bulk` are not needed, and not kept. */
export async function openBulkForm(
  deps: SlackDeps,
  request: SendingRequest,
  prefilling: ListPrefill | Promise<ListPrefill> = {},
): Promise<void> {
  const { to, replaces } = request;
  await openSendingForm(deps, request, TITLES.bulkForm, async (from, channel) => {
    const { phoneColumn, ...prefill } = await prefilling;
    const metadata = writeMetadata({ to, replaces, channel, file: prefill.file, phoneColumn });
    return bulkForm({ ...from, ...prefill, editing: replaces !== undefined, metadata });
  });
}

/** Opens a form for this channel, or for one to choose. `payer`: this channel, if the form is opened elsewhere. */
async function openSendingForm(
  deps: SlackDeps,
  { person, channel, triggerId, to }: SendingRequest,
  title: string,
  form: (from: { payer?: string; channels?: Channel[] }, channel?: string) => Promise<View>,
): Promise<void> {
  await openModal(deps, triggerId, title, async () => {
    const usable = channel !== '' && (await deps.rights.usableLink(person, channel));
    const isHere = channel === to.channel;
    if (usable && 'linked' in usable && (isHere || !(await deps.rights.membershipRefusal(person, channel))))
      return form(isHere ? {} : { payer: channel }, channel);
    const channels = await deps.conversations.sendableBy(person);
    if (channels.length > 0) return form({ channels });
    // Who may send from nowhere reads why not from here, and whom to ask.
    return isHere && usable && 'refusal' in usable ? usable.refusal.text : needsChannel([]).text;
  });
}
