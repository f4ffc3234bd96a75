import type { Button } from '@slack/types';
import type { SendView } from '../../../core/sends/send-view.ts';
import { asking, button, buttons, type Message, message, typed } from '../blocks.ts';
import { ACTIONS, type ActionId } from '../ids.ts';
import { LOOKING_FOR_CLUES, saidBy, unknownWords, WHY_NOT_CERTAIN } from '../outcome-words.ts';
import { recipient, shortRecipient } from '../recipient.ts';
import { count, inLines } from '../words.ts';
import { taken, whatHappened } from './why-unknown.ts';

/** The receipt of a text of which nobody can say whether it went out: what is known, and what a person may do. */
export function unknownReceipt(view: SendView): Message {
  if (view.saidSentBy !== undefined) return saidReceipt(view, view.saidSentBy);
  const text = inLines(
    `⚠️ *${unknownWords(view)}*`,
    `To ${[shortRecipient(view), ...cluesOf(view)].join(' · ')}`,
    whatHappened(view),
    whatTheBalanceSays(view),
    whatNow(view),
  );
  const isOpen = view.resentAs === undefined;
  return message(
    text,
    typed(view.text),
    buttons(
      isOpen && itArrivedButton(ACTIONS.itArrived, view.id),
      isOpen && hasEvidence(view) && resendButton(view.id),
      button(ACTIONS.sendDetails, 'Why?', view.id),
    ),
  );
}

/** **It arrived**: a person's word, which asks before it counts. */
export function itArrivedButton(action: ActionId, id: string): Button {
  return asking(button(action, 'It arrived', id), {
    title: 'Did it arrive?',
    text: 'The text is then shown as sent, with your name. It cannot be resent. If the service still answers, its answer counts.',
    yes: 'It arrived',
    no: 'Not sure',
  });
}

/** **Leave it**: nothing is sent, and lists no longer ask for a decision. */
export function leaveItButton(action: ActionId, id: string): Button {
  return asking(button(action, 'Leave it', id), {
    title: 'Leave it unknown?',
    text: 'The text disappears from this list. Nothing is sent. Whoever sent it can still resend it from its receipt.',
    yes: 'Leave it',
    no: 'Back',
  });
}

/** Whether the balance was looked at: only then can an unknown text be repeated. */
export function hasEvidence({ evidence }: SendView): boolean {
  return evidence !== undefined;
}

/** **Resend…**: a new draft, which says that it may text them twice. */
export function resendButton(id: string): Button {
  return button(ACTIONS.sendAgain, 'Resend…', id);
}

function saidReceipt(view: SendView, by: string): Message {
  return message(
    `✅ *Sent* ${saidBy(by)} · text to ${recipient(view)}\nThe service never answered, so its cost is not known.\nIf it still answers, its answer counts.`,
    typed(view.text),
    buttons(button(ACTIONS.sendDetails, 'Details', view.id)),
  );
}

/** What makes the likely outcome likely, and why it is not certain: in a few words each. */
function cluesOf({ evidence }: SendView): string[] {
  const { verdict, before = 0, after = 0 } = evidence ?? {};
  if (verdict !== 'probably_sent' && verdict !== 'probably_not_sent') return [];
  const charged = verdict === 'probably_not_sent' ? 'nothing was charged so far' : taken(before - after);
  return [charged, WHY_NOT_CERTAIN[verdict]];
}

/** What the clues leave open. */
function whatTheBalanceSays({ evidence }: SendView): string | undefined {
  if (!evidence) return LOOKING_FOR_CLUES;
  const { verdict, before = 0, after = 0, messages = 1 } = evidence;
  const several = messages > 1;
  switch (verdict) {
    case 'probably_not_sent':
    case 'probably_sent':
      return several ? `These figures cover ${count(messages)} unknown texts.` : undefined;
    case 'undecided':
      return several
        ? `${taken(before - after)} for ${count(messages)} unknown texts together. Nobody can tell which were charged.`
        : `${taken(before - after)}. The text costs a different amount.`;
    case 'topped_up':
      return 'The credits were topped up meanwhile, so the balance does not show whether it was charged.';
    case 'none':
      return 'The balance does not show whether it was charged.';
  }
}

function whatNow({ evidence, resentAs }: SendView): string {
  if (resentAs !== undefined) {
    return 'You have resent it meanwhile. The resend has its own receipt. They may have both texts.';
  }
  const still = 'We won’t retry by ourselves.';
  return evidence ? `${still} Resending may text them twice.` : still;
}
