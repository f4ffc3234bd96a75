import type { JobView } from '../../core/jobs/job-view.ts';
import type { SendView } from '../../core/sends/send-view.ts';
import { button, buttons, type Message, message } from './blocks.ts';
import { ACTIONS } from './ids.ts';
import { formButton, listButton } from './prefill.ts';
import { recipient } from './recipient.ts';
import { plural } from './words.ts';

/** Whether a form may begin with what it said: nobody sent it, and it was not withdrawn. */
export function mayReopen({ state, undoneBy }: Pick<SendView, 'state' | 'undoneBy'>): boolean {
  return state === 'expired' || state === 'declined' || undoneBy !== undefined;
}

/** Whether the draft still has what it said; it forgets that half an hour after it expired. */
export function hasWords({ e164 }: SendView): boolean {
  return e164 !== '';
}

/** The same for the draft of a list. */
export function hasList({ details }: JobView): boolean {
  return details.given.template !== '';
}

/** The draft of a text has expired: in its place, with the form that begins with what it said. */
export function expiredText(view: SendView): Message {
  const to = hasWords(view) ? ` to ${recipient(view)}` : '';
  const fact = `*Expired*: nothing was sent${to}.`;
  // The form would make a new text, without the warning that it may come twice.
  if (view.resends)
    return message(`${fact}\nTo resend it, press *Resend…* at the receipt of the first text.`);
  return hasWords(view)
    ? message(fact, buttons(button(ACTIONS.reopenDraft, 'Open the form', view.id)))
    : message(`${fact}\nIts words were deleted after half an hour.`, buttons(formButton('Write a text')));
}

/** The same for the draft of a list. */
export function expiredList(view: JobView): Message {
  const { total } = view.counts;
  const fact = `*Expired*: nothing was sent to ${total === 1 ? 'this recipient' : `these ${plural(total, 'recipient')}`}.`;
  if (view.resends)
    return message(`${fact}\nTo resend them, press *Resend the unknown…* at the card of the first job.`);
  return hasList(view)
    ? message(fact, buttons(button(ACTIONS.reopenBulk, 'Open the form', view.id)))
    : message(`${fact}\nThe list was deleted after half an hour.`, buttons(listButton()));
}
