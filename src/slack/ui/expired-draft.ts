import type { JobView } from '../../core/jobs/job-view.ts';
import type { SendView } from '../../core/sends/send-view.ts';
import { formatNumber } from '../../core/texts/phone-format.ts';
import { button, type Message, message } from './blocks.ts';
import { ACTIONS } from './ids.ts';
import { shortRecipient } from './outcome-words.ts';
import { fitsButton, formButton, LIST_BUTTON, withWordsAndForm } from './prefill.ts';
import { capitalised, plural } from './words.ts';

/** Whether a form may begin with a draft's words: nobody sent the draft, and nobody withdrew it. */
export function mayReopen({ state, undoneBy }: Pick<SendView, 'state' | 'undoneBy'>): boolean {
  return state === 'expired' || state === 'declined' || undoneBy !== undefined;
}

/** The words that differ between the draft of a text and the draft of a list. */
export function draftOf(view: SendView | JobView) {
  if (!('counts' in view)) {
    /** Whether the draft still has its words: we delete them half an hour after it expired. */
    const hasWords = view.e164 !== '';
    const words = hasWords
      ? { recipient: formatNumber(view.e164), message: view.text, channel: view.channel }
      : {};
    return {
      to: hasWords ? shortRecipient(view) : '',
      hasWords,
      words,
      /** A form would make a new text, without the warning that they may get it twice. */
      howToResend: 'To resend it, press *Resend…* at the receipt of the first text.',
      reopen: ACTIONS.reopenDraft,
      again: formButton('Write a text', words),
    };
  }
  const { total } = view.counts;
  return {
    to: total === 1 ? 'this recipient' : `these ${plural(total, 'recipient')}`,
    hasWords: view.details.given.isForgotten === undefined,
    words: {},
    howToResend: 'To resend them, press *Resend the unknown…* at the card of the first job.',
    reopen: ACTIONS.reopenBulk,
    again: LIST_BUTTON,
  };
}

export const CHECK = 'Check what arrived before you send it again.';
const FORGOTTEN = 'The draft’s words were deleted half an hour after it expired.';

const EXPIRED_FOR: { [why in NonNullable<SendView['expiredFor']>]: string } = {
  unlinked: 'the channel was unlinked',
  other_payer: 'another instance or account pays for the channel now',
};

/** What ended the draft before its time; undefined if nothing did. */
export function whyExpiredEarly(
  view: Pick<SendView, 'endedAt' | 'expiresAt' | 'expiredFor'>,
): string | undefined {
  const { endedAt, expiresAt, expiredFor } = view;
  if (expiredFor !== undefined) return EXPIRED_FOR[expiredFor];
  if (endedAt === undefined || endedAt >= expiresAt) return undefined;
  return 'the channel’s link or key changed, or Switchboard may run on an old copy of its data';
}

/** Whether a draft expired since its data may be an old copy, which does not know that it was sent. */
export function mayBeOld(view: Parameters<typeof whyExpiredEarly>[0]): boolean {
  return view.expiredFor === undefined && whyExpiredEarly(view) !== undefined;
}

/** For a list whose draft expired before its preview was there, so that nobody could send it. */
export function expiredUnseen(view: JobView): Message {
  return message(
    `⛔ *There is no preview: ${whyExpiredEarly(view) ?? 'the draft has expired'}.*\n` +
      `${capitalised(nothingSent(view))}. Please ask for the preview once more.`,
  );
}

/** `nothing was sent`. Of a resend we can't say that: the first text may have arrived. Nor of what may be sent already. */
export function nothingSent({ resends, mayBeSent }: Pick<SendView, 'resends' | 'mayBeSent'>): string {
  if (resends) return 'nothing was sent again';
  return mayBeSent ? 'nothing was sent just now' : 'nothing was sent';
}

/**
 * Replaces a draft that its sender cancelled, or a request that they withdrew. The words of a text are in its button, or
 * else in the message.
 */
export function withdrawnMessage(
  view: SendView | JobView,
  what: 'Cancelled' | 'Withdrawn' = 'Cancelled',
): Message {
  const { to, words, howToResend, again } = draftOf(view);
  const check = view.mayBeSent ? `\n${CHECK}` : '';
  const fact = `*${what}*: ${nothingSent(view)}${to && ` to ${to}`}.${check}`;
  if (view.resends) return message(`${fact}\n${howToResend}`);
  return fitsButton(words) ? message(fact, again) : withWordsAndForm(message(fact), words);
}

/**
 * Replaces a draft that has expired, and offers a form that begins with its words. An old copy of the data can't say
 * that nothing was sent: the copy does not know later sends. Nor can a store that may have forgotten one.
 */
export function expiredDraft(view: SendView | JobView): Message {
  const { to, hasWords, howToResend, reopen, again } = draftOf(view);
  const toThem = to && ` to ${to}`;
  const early = whyExpiredEarly(view);
  const fact =
    mayBeOld(view) || view.mayBeSent
      ? `*Expired*${early ? `: ${early}` : ''}.\nNothing was sent${toThem} just now. ${CHECK}`
      : `*Expired*: ${early ? `${early}, so ` : ''}${nothingSent(view)}${toThem}.`;
  if (view.resends) return message(`${fact}\n${howToResend}`);
  return hasWords
    ? message(fact, button(reopen, 'Open the form', view.id))
    : message(`${fact}\n${FORGOTTEN}`, again);
}
