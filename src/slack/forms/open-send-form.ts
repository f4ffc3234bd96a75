import { sendForm } from '../ui/send-form.ts';
import { TITLES } from '../ui/views.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import { writeMetadata } from './form-metadata.ts';
import { openSendingForm, type SendingRequest } from './open-sending-form.ts';

/** Opens the send form. */
export async function openSendForm(
  deps: SlackDeps,
  request: SendingRequest & { recipient?: string | undefined; message?: string | undefined },
): Promise<void> {
  const { to, replaces, recipient, message } = request;
  await openSendingForm(deps, request, TITLES.sendForm, (from) => {
    const channel = 'channel' in from ? from.channel : undefined;
    const metadata = writeMetadata({ to, replaces, channel });
    return sendForm({ ...from, recipient, message, editing: replaces !== undefined, metadata });
  });
}
