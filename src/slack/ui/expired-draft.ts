import type { JobView } from '../../core/jobs/job-view.ts';
import type { SendView } from '../../core/sends/send-view.ts';
import { button, type Message, message } from './blocks.ts';
import { ACTIONS } from './ids.ts';
import { recipient } from './outcome-words.ts';
import { formButton, LIST_BUTTON } from './prefill.ts';
import { plural } from './words.ts';

/** Whether a form may begin with what it said: nobody sent it, and it was not withdrawn. */
export function mayReopen({ state, undoneBy }: Pick<SendView, 'state' | 'undoneBy'>): boolean {
  return state === 'expired' || state === 'declined' || undoneBy !== undefined;
}

/** What messages about the draft of a text and about that of a list say each in their own way. */
export function draftOf(view: SendView | JobView) {
  if (!('counts' in view)) {
    /** Whether it still has what it said: it forgets that half an hour after it expired. */
    const hasWords = view.e164 !== '';
    return {
      to: hasWords ? recipient(view) : '',
      hasWords,
      forgotten: 'Its words were deleted half an hour after it expired.',
      /** A form would make a new text, without the warning that it may come twice. */
      howToResend: 'To resend it, press *Resend…* at the receipt of the first text.',
      reopen: ACTIONS.reopenDraft,
      again: formButton('Write a text'),
    };
  }
  const { total } = view.counts;
  return {
    to: total === 1 ? 'this recipient' : `these ${plural(total, 'recipient')}`,
    hasWords: view.details.given.template !== '',
    forgotten: 'The list was deleted half an hour after the draft expired.',
    howToResend: 'To resend them, press *Resend the unknown…* at the card of the first job.',
    reopen: ACTIONS.reopenBulk,
    again: LIST_BUTTON,
  };
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

/**
 * In place of a draft that has expired, with the form that begins with what it said. An old copy of the data can't say
 * that nothing was sent: it does not know later sends.
 */
export function expiredDraft(view: SendView | JobView): Message {
  const { to, hasWords, forgotten, howToResend, reopen, again } = draftOf(view);
  const toThem = to && ` to ${to}`;
  const fact = expiredEarly(view)
    ? `*Expired*: ${EXPIRED_EARLY}.\nNothing was sent${toThem} just now. Check what arrived before you send it again.`
    : `*Expired*: ${nothingSent(view)}${toThem}.`;
  if (view.resends) return message(`${fact}\n${howToResend}`);
  return hasWords
    ? message(fact, button(reopen, 'Open the form', view.id))
    : message(`${fact}\n${forgotten}`, again);
}
