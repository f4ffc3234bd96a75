import type { ModalView } from '@slack/types';
import { MESSAGE_MAX } from '../../../core/texts/message-text.ts';
import { FIELDS, VIEWS } from '../ids.ts';
import { field, modal, previewNote, textInput } from '../modal.ts';
import { payerBlocks } from '../payer.ts';
import { noticeBlock, TITLES } from '../views.ts';
import { count } from '../words.ts';

/** The facts of the forms for a text and for a list. `channels`: to choose from, if the form is for no channel yet. */
export interface SendFormFacts {
  recipient?: string | undefined;
  message?: string | undefined;
  channels?: readonly { id: string; name: string }[];
  /** The channel that sends and pays, if somebody opened the form elsewhere. */
  payer?: string;
  /** Why the form begins like this, or comes again. Plain text. */
  notice?: string | undefined;
  metadata: string;
  editing?: boolean;
}

export function sendForm(facts: SendFormFacts): ModalView {
  const { recipient, message, channels = [], payer, notice, metadata, editing = false } = facts;
  const number = textInput({ placeholder: '+44 20 7946 0958', initial: recipient });
  const title = editing ? TITLES.editForm : TITLES.sendForm;
  return modal(VIEWS.sendForm, { title, submit: 'Preview', metadata }, [
    notice && noticeBlock(notice),
    ...payerBlocks(payer, channels),
    field(FIELDS.recipient, 'Recipient', number, { hint: 'One phone number, with + and its country code.' }),
    field(FIELDS.message, 'Message', textInput({ multiline: true, initial: message }), {
      hint: `At most ${count(MESSAGE_MAX)} characters. Line breaks and standard emoji stay. Custom emoji can’t be sent.`,
    }),
    previewNote(editing),
  ]);
}
