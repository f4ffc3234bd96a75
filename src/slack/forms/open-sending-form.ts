import type { View } from '@slack/types';
import type { Channel } from '../people/conversations.ts';
import type { SlackRequest } from '../requests/slack-request.ts';
import { needsChannel } from '../ui/access-refusals.ts';
import { type BulkFormFacts, bulkForm } from '../ui/lists/bulk-form.ts';
import { type SendFormFacts, sendForm } from '../ui/texts/send-form.ts';
import { TITLES } from '../ui/views.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import { type FormMetadata, writeMetadata } from './form-data.ts';

/** Who wants to send from where; the form asks for an empty channel. `replaces`: the draft that the new one replaces. */
interface SendingRequest extends SlackRequest {
  replaces?: string;
}

export type TextPrefill = Pick<SendFormFacts, 'recipient' | 'message' | 'notice'>;

export type ListPrefill = Pick<BulkFormFacts, 'recipients' | 'message' | 'notice'> &
  Pick<FormMetadata, 'file' | 'phoneColumn'>;

export async function openSendForm(
  deps: SlackDeps,
  request: SendingRequest,
  prefilled: () => TextPrefill | Promise<TextPrefill> = () => ({}),
): Promise<void> {
  const { to, replaces } = request;
  await openSendingForm(deps, request, TITLES.sendForm, async (from, channel) => {
    const metadata = writeMetadata({ to, replaces, channel });
    return sendForm({ ...from, ...(await prefilled()), editing: replaces !== undefined, metadata });
  });
}

/** Opens the form for a whole list. */
export async function openBulkForm(
  deps: SlackDeps,
  request: SendingRequest,
  prefilled: () => ListPrefill | Promise<ListPrefill> = () => ({}),
): Promise<void> {
  const { to, replaces } = request;
  await openSendingForm(deps, request, TITLES.bulkForm, async (from, channel) => {
    const { phoneColumn, ...prefill } = await prefilled();
    const metadata = writeMetadata({ to, replaces, channel, file: prefill.file, phoneColumn });
    return bulkForm({ ...from, ...prefill, editing: replaces !== undefined, metadata });
  });
}

/** Opens a form for this channel, or one that asks for a channel. `payer`: this channel, if the person is elsewhere. */
async function openSendingForm(
  deps: SlackDeps,
  { person, channel, open, to }: SendingRequest,
  title: string,
  form: (from: { payer?: string; channels?: Channel[] }, channel?: string) => Promise<View>,
): Promise<void> {
  await open(title, async () => {
    const usable = channel !== '' && (await deps.rights.usableLink(person, channel));
    const isHere = channel === to.channel;
    if (usable && 'linked' in usable && (isHere || !(await deps.rights.membershipRefusal(person, channel))))
      return form(isHere ? {} : { payer: channel }, channel);
    const channels = await deps.conversations.sendableBy(person);
    if (channels.length > 0) return form({ channels });
    // Somebody who can send from no channel reads why not from here, and which admins to ask.
    return isHere && usable && 'refusal' in usable ? usable.refusal.text : needsChannel([]).text;
  });
}
