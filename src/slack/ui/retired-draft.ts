import type { Button } from '@slack/types';
import type { SendView } from '../../core/sends/send-view.ts';
import { buttons, type Message, message } from './blocks.ts';

/** A click on a draft that can't be decided any more, with a button to write another one; undefined where it was confirmed. */
export function retiredDraft(state: SendView['state'], expired: Message, again: Button): Message | undefined {
  switch (state) {
    // A draft that can no longer be decided has expired, also where the ledger has not got round to it.
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
