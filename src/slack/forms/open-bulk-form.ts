import { bulkForm } from '../ui/lists/bulk-form.ts';
import { TITLES } from '../ui/views.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import { writeMetadata } from './form-metadata.ts';
import { openSendingForm, type SendingRequest } from './open-sending-form.ts';

/** What the list form begins with. */
export interface ListPrefill {
  recipients?: string | undefined;
  message?: string;
  /** A file that is used again. */
  file?: { id: string; name: string } | undefined;
  /** Which of its columns holds the numbers. */
  phoneColumn?: number | undefined;
  /** Why it is prefilled. Plain text. */
  notice?: string;
}

export async function openBulkForm(
  deps: SlackDeps,
  request: SendingRequest,
  prefilling: ListPrefill | Promise<ListPrefill> = {},
): Promise<void> {
  const { to, replaces } = request;
  await openSendingForm(deps, request, TITLES.bulkForm, async (from) => {
    const { phoneColumn, ...prefill } = await prefilling;
    const channel = 'channel' in from ? from.channel : undefined;
    const metadata = writeMetadata({ to, replaces, channel, file: prefill.file, phoneColumn });
    return bulkForm({ ...from, ...prefill, editing: replaces !== undefined, metadata });
  });
}
