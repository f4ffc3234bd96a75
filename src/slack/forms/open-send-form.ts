import { sendForm } from '../ui/texts/send-form.ts';
import { TITLES } from '../ui/views.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import { writeMetadata } from './form-metadata.ts';
import { openSendingForm, type SendingRequest } from './open-sending-form.ts';

/** What the send form begins with. */
export interface TextPrefill {
  recipient?: string | undefined;
  message?: string | undefined;
  /** Why it begins so. Plain text. */
  notice?: string;
}

export async function openSendForm(
  deps: SlackDeps,
  request: SendingRequest,
  prefilling: TextPrefill | Promise<TextPrefill> = {},
): Promise<void> {
  const { to, replaces } = request;
  await openSendingForm(deps, request, TITLES.sendForm, async (from) => {
    const channel = 'channel' in from ? from.channel : undefined;
    const metadata = writeMetadata({ to, replaces, channel });
    return sendForm({ ...from, ...(await prefilling), editing: replaces !== undefined, metadata });
  });
}
