import type { Button } from '@slack/types';
import type { SendView } from '../../../core/sends/send-view.ts';
import { askFirst, button, type Message, message, typed } from '../blocks.ts';
import { unknownRefused } from '../draft-refusals.ts';
import { ACTIONS, type ActionId } from '../ids.ts';
import * as outcomes from '../outcome-words.ts';
import { count, inLines } from '../words.ts';
import { causeWords } from './cause-words.ts';

/** The receipt of an unknown text: what we know, and what a person may do. */
export function unknownReceipt(view: SendView): Message {
  if (view.saidSentBy !== undefined)
    return message(
      `✅ *Sent* ${outcomes.saidBy(view.saidSentBy)} · text to ${outcomes.recipient(view)}\nThe service never answered, so we don’t know what the text cost.\nA late answer still counts.`,
      typed(view.text),
      button(ACTIONS.sendDetails, 'Details', view.id),
    );
  const isOpen = view.resentAs === undefined;
  const text = inLines(
    `⚠️ *${outcomes.unknownWords(view)}*`,
    `To ${[outcomes.shortRecipient(view), ...cluesOf(view)].join(' · ')}`,
    causeWords(view.result).unknown,
    whatTheBalanceSays(view),
    isOpen
      ? `We won’t retry automatically.${view.mayResend ? ' Resending may text the recipient twice.' : ''}`
      : 'You have resent it meanwhile. The resend has its own receipt. The recipient may get both.',
  );
  return message(
    text,
    typed(view.text),
    isOpen && itArrivedButton(ACTIONS.itArrived, view.id),
    view.mayResend && button(ACTIONS.sendAgain, 'Resend…', view.id),
    button(ACTIONS.sendDetails, 'Why?', view.id),
  );
}

/** **It arrived**: asks first, since the bot then takes the person's word. */
export function itArrivedButton(action: ActionId, id: string): Button {
  return askFirst(button(action, 'It arrived', id), {
    title: 'Did it arrive?',
    text: 'The text is then shown as sent, with your name. It cannot be resent. If the service still answers, its answer counts.',
    no: 'Not sure',
  });
}

/** **Leave it**: nothing is sent, and neither `/sms status` nor Home asks for a decision any more. */
export function leaveItButton(action: ActionId, id: string): Button {
  return askFirst(button(action, 'Leave it', id), {
    title: 'Leave it unknown?',
    text: 'The text disappears from this list. Nothing is sent. The sender can still resend the text from the receipt.',
    no: 'Back',
  });
}

/** In a few words each: why the outcome is likely, and why it is not certain. */
function cluesOf(view: SendView): string[] {
  const { evidence } = view;
  const likely = outcomes.likelyOf(view);
  if (!evidence || !likely) return [];
  const isCharged = evidence.verdict === 'probably_sent';
  return [isCharged ? outcomes.takenWords(evidence) : 'nothing was charged so far', likely.doubt];
}

/** The sentence about the balance that stands beside the likely outcome and its figures, if they leave something to say. */
function whatTheBalanceSays({ evidence, mayResend }: SendView): string | undefined {
  if (!evidence) return mayResend ? outcomes.NO_CLUE : outcomes.LOOKING_FOR_CLUES;
  const { verdict, messages = 1 } = evidence;
  const several = messages > 1;
  switch (verdict) {
    case 'probably_not_sent':
    case 'probably_sent':
      return several ? `These figures cover ${count(messages)} unknown texts.` : undefined;
    case 'undecided':
      return several
        ? `${outcomes.takenWords(evidence)} for ${count(messages)} unknown texts together. Nobody can tell which were charged.`
        : `${outcomes.takenWords(evidence)}. The text costs a different amount.`;
    case 'topped_up':
      return 'The credits were topped up meanwhile, so the balance does not show whether it was charged.';
    case 'none':
      return 'The balance does not show whether it was charged.';
  }
}

/** Behind **Why?**: what we know of an unknown text, what that proves, and what a person may do. */
export function whyUnknown(view: SendView): string {
  return inLines(
    `⚠️ ${outcomes.unknownHeadline(view)}`,
    causeWords(view.result).unknown,
    whatTheBalanceSays(view),
    view.evidence?.verdict === 'probably_sent' &&
      'A charge shows that the service took the text, not that it arrived.',
    outcomes.notCertain(view),
    'We won’t retry automatically: that could text the recipient twice.',
    howToDecide(view),
  );
}

function howToDecide({ resentAs, e164, mayResend, resendableAt }: SendView): string {
  if (resentAs !== undefined) return 'Somebody resent it: see *Resends* below.';
  if (e164 === '') return unknownRefused('forgotten').text;
  return inLines(
    'If you know that the text arrived, press *It arrived* on its receipt.',
    'The text then counts as sent, with your name.',
    resendableAt !== undefined && !mayResend && 'The receipt has *Resend…* within about three minutes.',
    resendableAt !== undefined && '*Resend…* makes a new draft: you decide there.',
  );
}
