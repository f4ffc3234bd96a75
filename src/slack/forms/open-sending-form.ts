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

/** What the form for a text, or for a list, begins with. */
export type Prefilled = Pick<SendFormFacts, 'recipient' | 'message' | 'notice'> &
  Pick<BulkFormFacts, 'recipients'> &
  Pick<FormMetadata, 'file' | 'phoneColumn'>;

/** Opens the form for a text. */
export const openSendForm = opening(TITLES.sendForm, sendForm);

/** Opens the form for a whole list. */
export const openBulkForm = opening(TITLES.bulkForm, bulkForm);

/** Opens a form for this channel, or one that asks for a channel. `payer`: this channel, if the person is elsewhere. */
function opening(title: string, draw: (facts: SendFormFacts & BulkFormFacts) => View) {
  return async (
    deps: SlackDeps,
    { person, channel: from, inDirectMessage, open, to, replaces }: SendingRequest,
    prefilled: () => Prefilled | Promise<Prefilled> = () => ({}),
  ): Promise<void> => {
    async function form(asked: { payer?: string; channels?: Channel[] }, channel?: string): Promise<View> {
      const { phoneColumn, ...prefill } = await prefilled();
      const metadata = writeMetadata({ to, replaces, channel, file: prefill.file, phoneColumn });
      return draw({ ...asked, ...prefill, editing: replaces !== undefined, metadata });
    }
    await open(title, async () => {
      const usable = from !== '' && (await deps.rights.usableLink(person, from));
      const isHere = from === to.channel;
      if (usable && 'linked' in usable && (isHere || !(await deps.rights.membershipRefusal(person, from))))
        return form(isHere ? {} : { payer: from }, from);
      const channels = await deps.conversations.sendableBy(person);
      if (channels.length > 0) return form({ channels });
      // Somebody who can send from no channel reads why not from here, and which admins to ask.
      const mayBeLinked = isHere && !inDirectMessage;
      return mayBeLinked && usable && 'refusal' in usable ? usable.refusal.text : needsChannel([]).text;
    });
  };
}
