import type { Button } from '@slack/types';
import type { KeyUnusable } from '../../core/accounts/key-trouble.ts';
import type { CreditsShort, Undecidable } from '../../core/sends/decision-answers.ts';
import type { SendView } from '../../core/sends/send-view.ts';
import { button, figures, joined, type Message, message } from './blocks.ts';
import { ACTIONS } from './ids.ts';
import { KEY_TROUBLE } from './key-trouble.ts';
import { formButton } from './prefill.ts';
import { quoted } from './safe-text.ts';
import { capitalised, credits, estimatedCredits, inLines, mention, PRICE_UNKNOWN, time } from './words.ts';

/** Why a text can’t be sent, though its sender has the right to. */

/** The upper estimate is more than the balance. The service was not asked to send. */
export function creditsShort(
  { needed, least, available }: Omit<CreditsShort, 'kind'>,
  topUp?: Button | undefined,
): Message {
  const need = estimatedCredits({ credits: needed, ...(least !== undefined && { least }) });
  const next = inLines(
    least !== undefined && `${capitalised(PRICE_UNKNOWN)}.`,
    topUp
      ? 'Top up the account, then try again.'
      : 'Top up the account, or ask an admin to do so. Then try again.',
  );
  return joined(
    '⛔ *Not enough credits*',
    figures([
      ['Needed', need],
      ['Available', credits(available)],
    ]),
    next,
    topUp,
  );
}

export function keyUnusable(
  { kind, instanceName, instanceId }: KeyUnusable,
  { isAdmin }: { isAdmin: boolean },
): Message {
  return message(
    `⛔ *${capitalised(KEY_TROUBLE[kind](`the API key of ${quoted(instanceName)}`))}.*\n` +
      'No text goes out with it, and no credits are used.\n' +
      'The admins were told. An admin can replace the key in `/sms settings`.',
    isAdmin && replaceKeyButton(instanceId),
  );
}

/** **Replace key**, below a message that nobody can use the key. Only admins can press it. */
export function replaceKeyButton(instanceId: string): Button {
  return button(ACTIONS.replaceRefusedKey, 'Replace key', instanceId);
}

/** Whether an account should be topped up: there are no credits, or fewer than the channel's threshold. */
export function isLow(credits: number, { threshold }: { threshold: number }): boolean {
  return credits <= 0 || credits < threshold;
}

/** **Top up**, which opens the channel's top-up link; undefined if no admin has set one. */
export function topUpButton({ topUpUrl }: { topUpUrl?: string | undefined }): Button | undefined {
  return topUpUrl === undefined ? undefined : { ...button(ACTIONS.topUp, 'Top up'), url: topUpUrl };
}

export function notYours(owner: string, act: 'send' | 'undo' | 'withdraw' | 'do' = 'send'): Message {
  return message(`Sorry, only ${mention(owner)} can ${act} this.`);
}

/**
 * The answer to **Send** or **Approve and send** after a start, or a reconnect of the store: the data may be an old copy,
 * which does not know that the text was sent already. The words stay true afterwards. If the bot is killed meanwhile,
 * nothing is sent twice.
 */
export const CHECKS_FIRST = message(
  '⏸ *We check the balance first.*\nThen the text or list goes out by itself, or you read why not.\nIf nothing has happened after a minute, press the button again.',
);

/** The same after a submitted **Edit**. */
export const EDIT_CHECKS_FIRST = message(
  '⏸ *We check the balance first.*\nThen the new preview comes by itself, or you read why not.\nIf nothing has happened after a minute, press *Edit* again.',
);

/**
 * **Send**, **Approve and send** or **Resume** while we must check the balance first, and can't: the draft, the request or
 * the paused list stays as it is.
 */
export const NOT_SENT_YET = message(
  '⏸ *Nothing goes out yet*: we must check the balance first, but we can’t right now.\nPlease try again in a minute.',
);

/** A submitted **Edit** while we must check the balance first, and can't: the draft stays as it is. */
export const NOT_CHANGED_YET = message(
  '⏸ *Nothing is changed yet*: we must check the balance first, but we can’t right now.\nPlease press *Edit* again in a minute.',
);

/**
 * The ledger does not have the draft of a button (any more), and may have forgotten that somebody sent it. `again`: the
 * button to write another one.
 */
export function staleDraft(again: Button = formButton('Write a text')): Message {
  return message('This draft is gone. Nothing was sent just now.', again);
}

/**
 * Why nobody can resend unknown texts, or decide about them, or not yet: of a text, or of a job. `at`: when to try again,
 * ms since 1970.
 */
export function unknownRefused(why: UnknownRefusal, at?: number): Message {
  const reasons: { [why in UnknownRefusal]: string } = {
    resent_already: 'Somebody has sent this again already: the new receipt or card says what became of it.',
    said_sent: 'Somebody has said already that this arrived, so nothing was sent again.',
    not_unknown:
      'The service has answered meanwhile, and its answer counts.\nSee the receipt, or the card: its buttons are for the rest.',
    forgotten:
      'The words and numbers were deleted meanwhile, so nobody can decide about this any more.\nIts outcome stays *unknown*.',
    none_unknown: 'No text of this job needs a decision any more.',
    more_unknown:
      'More texts of this job became unknown meanwhile, so nothing was decided. The card is up to date.',
    too_early: `The first request may still be under way, so nothing was sent again.\nPlease try again ${at === undefined ? 'in a minute' : `after ${time(at)}`}.`,
  };
  return message(reasons[why]);
}

type UnknownRefusal = Undecidable | 'none_unknown' | 'more_unknown' | 'too_early';

/** The number of an unknown text can no longer be sent to: the person corrects it. */
export function numberUnreadable({ e164, text }: Pick<SendView, 'e164' | 'text'>): Message {
  return message(
    '⚠️ *The number of this text is not right*: it may have an extra 0 after the country code.\n' +
      'Nothing was sent again. Correct the number in the form.\n' +
      'The first text may have arrived, so the recipient may get both.',
    formButton('Open the form', { recipient: e164, message: text }),
  );
}
