import type { Button } from '@slack/types';
import type { SendView } from '../../../core/sends/send-view.ts';
import { button, buttons, joined, type Message, message, small, typed } from '../blocks.ts';
import { checkingFirst } from '../draft-refusals.ts';
import { ACTIONS } from '../ids.ts';
import { approvalLine } from '../limits/approval-words.ts';
import { undoneText } from '../limits/undo.ts';
import { chargeOf, otherStatusOf } from '../outcome-words.ts';
import { recipient, shortRecipient } from '../recipient.ts';
import { aboutWhen, capitalised, inLines } from '../words.ts';
import { unknownReceipt } from './unknown-receipt.ts';
import { notSentReceipt, rejectedReceipt } from './unsent-receipt.ts';

export function sendingMessage(view: SendView): Message {
  return message(`📤 *Sending* to ${recipient(view)} …\nThe receipt follows here.`, typed(view.text));
}

/**
 * Somebody pressed Send, and the request waits until about `until` (ms since 1970, as `now`). Either the minute's requests
 * are used up (`permits`), or the service answered with a 429 (`asked_to_wait`).
 */
export function waitingMessage(
  view: SendView,
  { until, why, now }: { until: number; why: 'permits' | 'asked_to_wait'; now: number },
): Message {
  const reason = {
    permits: 'The service limits requests per minute.',
    asked_to_wait: 'The service asked for a pause.',
  }[why];
  return message(
    `⏸ *Waiting* to send to ${recipient(view)}\n${reason} This text goes out by itself ${aboutWhen(until, now)}.`,
    typed(view.text),
  );
}

/** Somebody pressed Send on a draft from before a start, or a reconnect of the store: the bot reads the balance first. */
export function textChecksFirst(view: SendView, pressed: Button): Message {
  return checkingFirst({
    to: recipient(view),
    what: 'This text',
    words: [typed(view.text)],
    pressed,
    cancel: button(ACTIONS.cancelDraft, 'Cancel', view.id),
  });
}

/** What became of a text, for the person who sent it. The typed text is in the blocks only. */
export function receiptMessage(view: SendView): Message {
  const line = approvalLine(view.approval);
  return joined(outcomeReceipt(view), line && small(line));
}

function outcomeReceipt(view: SendView): Message {
  switch (view.outcome) {
    case 'pending':
    case 'sending':
    case 'split':
      return sendingMessage(view);
    case 'sent':
      return sentReceipt(view);
    case 'rejected':
      return rejectedReceipt(view);
    case 'not_sent':
      return notSentReceipt(view);
    case 'unknown':
      return unknownReceipt(view);
    case 'cancelled':
      if (view.undoneBy !== undefined) return undoneText(view);
      return view.details.restored ? message(heldBack(view)) : withdrawnMessage(view);
  }
}

function sentReceipt(view: SendView): Message {
  const status = otherStatusOf(view);
  const headline =
    status === undefined
      ? `✅ *Sent* to ${shortRecipient(view)} · ${chargeOf(view)}`
      : `⚠️ *Status ${status}* · text to ${recipient(view)}\nThe service took the text, but says ${status} instead of “sent”.\nAsk the service what that means before you send it again.\n${capitalised(chargeOf(view))}`;
  const wasResent = !view.resends && view.resentAs !== undefined;
  return message(
    inLines(
      headline,
      view.resends && 'You sent this again after a text with an unknown outcome. They may get both.',
      wasResent &&
        'This answer came late, after you pressed *Resend*.\nThe receipt of the resent text says whether they may get it twice.',
    ),
    typed(view.text),
    buttons(button(ACTIONS.sendDetails, 'Details', view.id)),
  );
}

/** The text was waiting in an older copy of the data that an operator put back. */
export function heldBack(view: SendView): string {
  return `*Cancelled* · text to ${recipient(view)}\nAn operator put an older copy of the data back. This text was waiting in that copy, so it was not sent again.\nIt may have been sent before.`;
}

/** Cancel was pressed. */
export function withdrawnMessage(view: SendView): Message {
  // The first text may have arrived.
  const what = view.resends ? 'it was not sent again' : 'nothing was sent';
  return message(`*Cancelled*: ${what} to ${recipient(view)}.`);
}
