import type { JobView } from '../../core/jobs/job-details.ts';
import type { SendView } from '../../core/sends/send-view.ts';
import { ACTIONS } from '../ids.ts';
import { recipient } from './recipient.ts';
import { button, buttons, type Message, message, plural } from './words.ts';

/** The draft of a text has expired: in its place, with the form that begins with what it said. */
export function expiredText(view: SendView): Message {
  const fact = `*Expired*: nothing was sent to ${recipient(view)}.`;
  // A form would make a text of its own of it, which does not say that it may come twice.
  if (view.resends) return message(`${fact} To resend it, press *Resend…* at the receipt of the first text.`);
  return message(fact, buttons(button(ACTIONS.reopenDraft, 'Open the form', view.id)));
}

/** The same for the draft of a list. */
export function expiredList(view: JobView): Message {
  const { total } = view.counts;
  const fact = `*Expired*: nothing was sent to ${total === 1 ? 'this recipient' : `these ${plural(total, 'recipient')}`}.`;
  if (view.resends)
    return message(`${fact} To resend them, press *Resend the unknown* at the card of the first job.`);
  return message(fact, buttons(button(ACTIONS.reopenBulk, 'Open the form', view.id)));
}
