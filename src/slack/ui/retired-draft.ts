import type { Button } from '@slack/types';
import type { SendView } from '../../core/sends/send-view.ts';
import { buttons, type Message, message } from './blocks.ts';

/** The answer to a click on a draft that nobody can decide any more, with a button to write another. Undefined if it was confirmed. */
export function retiredDraft(state: SendView['state'], expired: Message, again: Button): Message | undefined {
  switch (state) {
    // Such a draft has expired, even if the ledger has not noted that yet.
    case 'draft':
    case 'expired':
      return expired;
    case 'cancelled':
      return retired('this draft was cancelled', again);
    case 'superseded':
      return retired('this draft was edited', again);
    case 'declined':
      return retired('this request was declined', again);
    case 'awaiting_approval':
    case 'running':
    case 'paused':
    case 'finished':
    case 'stopped':
      return undefined;
  }
}

function retired(why: string, again: Button): Message {
  return message(`Sorry, ${why}. Nothing was sent.`, buttons(again));
}
