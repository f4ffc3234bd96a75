import type { Button } from '@slack/types';
import type { JobView } from '../../core/jobs/job-view.ts';
import type { SendView } from '../../core/sends/send-view.ts';
import { button, buttons, type Message, message } from './blocks.ts';
import { ACTIONS } from './ids.ts';
import { formButton, LIST_BUTTON } from './prefill.ts';
import { recipient } from './recipient.ts';
import { capitalised, plural } from './words.ts';

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

export const EXPIRED_EARLY =
  'the channel’s link or key changed, or Switchboard may run on an old copy of its data';

/** Whether it expired before its time: nobody let it lie. */
export function expiredEarly({ endedAt, expiresAt }: Pick<SendView, 'endedAt' | 'expiresAt'>): boolean {
  return endedAt !== undefined && endedAt < expiresAt;
}

/** `nothing was sent`; of what is sent again, the first text may have arrived. */
export function nothingSent({ resends }: Pick<SendView, 'resends'>): string {
  return resends ? 'nothing was sent again' : 'nothing was sent';
}

/** How to resend. A form would make a new text, without the warning that it may come twice. */
export const HOW_TO_RESEND = {
  text: 'To resend it, press *Resend…* at the receipt of the first text.',
  list: 'To resend them, press *Resend the unknown…* at the card of the first job.',
} as const;

/** Says that this draft sent nothing. An old copy of the data can't say that: it does not know later sends. */
function expiredFact(view: Pick<SendView, 'endedAt' | 'expiresAt' | 'resends'>, to: string): string {
  return expiredEarly(view)
    ? `*Expired*: ${EXPIRED_EARLY}.\nNothing was sent${to} just now. Check what arrived before you send it again.`
    : `*Expired*: ${nothingSent(view)}${to}.`;
}

/** The draft of a text has expired: in its place, with the form that begins with what it said. */
export function expiredText(view: SendView): Message {
  const to = hasWords(view) ? ` to ${recipient(view)}` : '';
  const fact = expiredFact(view, to);
  if (view.resends) return message(`${fact}\n${HOW_TO_RESEND.text}`);
  return hasWords(view)
    ? message(fact, buttons(button(ACTIONS.reopenDraft, 'Open the form', view.id)))
    : message(
        `${fact}\nIts words were deleted half an hour after it expired.`,
        buttons(formButton('Write a text')),
      );
}

/** `this recipient`, `these 40 recipients` */
export function theseRecipients({ counts: { total } }: JobView): string {
  return total === 1 ? 'this recipient' : `these ${plural(total, 'recipient')}`;
}

/** The same for the draft of a list. */
export function expiredList(view: JobView): Message {
  const fact = expiredFact(view, ` to ${theseRecipients(view)}`);
  if (view.resends) return message(`${fact}\n${HOW_TO_RESEND.list}`);
  return hasList(view)
    ? message(fact, buttons(button(ACTIONS.reopenBulk, 'Open the form', view.id)))
    : message(`${fact}\nThe list was deleted half an hour after the draft expired.`, buttons(LIST_BUTTON));
}

const RETIRED: { [state in SendView['state']]?: string } = {
  cancelled: 'this draft was cancelled',
  superseded: 'this draft was edited',
  declined: 'this request was declined',
};

/** The answer to a click on a draft that nobody can decide any more, with a button to write another. Undefined if it was confirmed. */
export function retiredDraft(
  view: Pick<SendView, 'state' | 'resends'>,
  expired: Message,
  again: Button,
): Message | undefined {
  // A draft that nobody can decide has expired, even if the ledger has not noted that yet.
  if (view.state === 'draft' || view.state === 'expired') return expired;
  const why = RETIRED[view.state];
  if (why === undefined) return undefined;
  return message(`Sorry, ${why}. ${capitalised(nothingSent(view))}.`, buttons(again));
}
