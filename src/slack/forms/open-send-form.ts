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

/** Opens the send form. `reading`: what it begins with, where that takes a moment to read. */
export async function openSendForm(
  deps: SlackDeps,
  request: SendingRequest & TextPrefill,
  reading: TextPrefill | Promise<TextPrefill> = {},
): Promise<void> {
  const { to, replaces, recipient, message } = request;
  await openSendingForm(deps, request, TITLES.sendForm, async (from) => {
    const channel = 'channel' in from ? from.channel : undefined;
    const metadata = writeMetadata({ to, replaces, channel });
    const editing = replaces !== undefined;
    return sendForm({ ...from, recipient, message, ...(await reading), editing, metadata });
  });
}
