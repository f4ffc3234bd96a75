import type { Button } from '@slack/types';
import type { SendView } from '../../../core/sends/send-view.ts';
import { button, context, joined, type Message, message, small, typed, typedBelow } from '../blocks.ts';
import { replaceKeyButton, topUpButton } from '../draft-refusals.ts';
import { draftOf, nothingSent, withdrawnMessage } from '../expired-draft.ts';
import { ACTIONS } from '../ids.ts';
import { approvalLine } from '../limits/approval-words.ts';
import { undoneMessage } from '../limits/undo.ts';
import { chargeOf, otherStatusOf, recipient, reference, shortRecipient } from '../outcome-words.ts';
import { notSentWords } from '../reports/history-words.ts';
import { capitalised, credits, inLines, mention, time } from '../words.ts';
import { causeWords } from './cause-words.ts';
import { unknownReceipt } from './unknown-receipt.ts';

export function sendingMessage(view: SendView): Message {
  return message(`📤 *Sending* to ${shortRecipient(view)} …\nThe receipt follows here.`, typed(view.text));
}

/** Somebody pressed Send, and the request waits until about `until` (ms since 1970, as `now`). */
export function waitingMessage(
  view: SendView,
  { until, why, now }: { until: number; why: 'permits' | 'asked_to_wait'; now: number },
): Message {
  const reason =
    why === 'permits' ? 'The service limits requests per minute.' : 'The service asked for a pause.';
  // Slack shows times in minutes: a time within this minute would say nothing.
  const at = until - now < 60_000 ? 'in less than a minute' : `at about ${time(until)}`;
  return message(
    `⏸ *Waiting* to send to ${shortRecipient(view)}\n${reason} We try again automatically ${at}.`,
    typed(view.text),
  );
}

/** Whether the service refused a text that a top-up would have paid for. */
export function lacksCredits({ outcome, result }: SendView): boolean {
  return outcome === 'rejected' && result?.cause === 'credits';
}

/**
 * What became of a text, for the person who sent it. The typed text is in the blocks only. `link`: of its channel, if it
 * lacks credits.
 */
export function receiptMessage(view: SendView, link: { topUpUrl?: string | undefined } = {}): Message {
  const line = approvalLine(view.approval);
  return joined(
    outcomeReceipt(view, link),
    // The answer to a request that the database had forgotten came after somebody sent the text anyway.
    view.sentBefore !== undefined &&
      `⚠️ *The service took this once before*, for ${credits(view.sentBefore)}.\nSwitchboard’s database had lost that request, and its answer came late.`,
    line && small(line),
  );
}

function outcomeReceipt(view: SendView, link: { topUpUrl?: string | undefined }): Message {
  switch (view.outcome) {
    case 'pending':
    case 'sending':
    case 'split':
      return sendingMessage(view);
    case 'sent':
      return sentReceipt(view);
    case 'rejected':
      return rejectedReceipt(view, topUpButton(link));
    case 'not_sent':
      return notSentReceipt(view);
    case 'unknown':
      return unknownReceipt(view);
    case 'cancelled':
      if (view.undoneBy !== undefined) return undoneMessage(view);
      return view.state === 'stopped'
        ? message(heldBack(view), typed(view.text), !view.resends && draftOf(view).again)
        : withdrawnMessage(view);
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
      view.resends && 'You sent this again after a text with an unknown outcome. The recipient may get both.',
      view.mayBeSent &&
        view.sentBefore === undefined &&
        'This may have been sent before. The recipient may get it twice.',
      wasResent &&
        'This answer came late, after you pressed *Resend*.\nThe receipt of the resent text says whether the recipient may get both.',
    ),
    typed(view.text),
    button(ACTIONS.sendDetails, 'Details', view.id),
  );
}

/** Of a text that waited, if the data may be an old copy: an operator said so, the bot noticed it, or nobody could compare. */
export function heldBack(view: SendView): string {
  return `*Cancelled* · text to ${recipient(view)}\nSwitchboard may run on an old copy of its data, so it did not send this text now.\nIt may have been sent before: ask the recipient before you write it again.`;
}

/** Of a resend, says nothing about the first text. */
function nothingUsed(view: SendView): string {
  return `${capitalised(nothingSent(view))} and no credits were used${view.resends ? ' for that' : ''}.`;
}

function rejectedReceipt(view: SendView, topUp: Button | undefined): Message {
  const { why, next, showWords } = causeWords(view.result).rejected;
  const words = view.result?.message;
  // If the service refused the key, the text was not at fault: that comes first.
  const opening =
    view.result?.cause === 'key_refused'
      ? [`⛔ *Rejected* · ${why}`, `Text to ${recipient(view)}`]
      : [`⛔ *Rejected* · text to ${recipient(view)}`, why];
  return message(
    inLines(...opening, nothingUsed(view), next, overruled(view)),
    ...typedBelow('The service’s own words:', showWords ? words : undefined),
    context('Your text:'),
    typed(view.text),
    lacksCredits(view) && topUp,
    view.result?.cause === 'key_refused' && replaceKeyButton(view.instance),
    draftOf(view).again,
    reference(view),
  );
}

/** We never handed the text to the service, or the service did not process it. */
function notSentReceipt(view: SendView): Message {
  const isOptedOut = view.barredFor === 'opted_out';
  const text = `⛔ *${capitalised(notSentWords(view))}* · text to ${recipient(view)}`;
  const isTaken = view.result?.cause === 'repeated';
  const { why, next } = causeWords(view.result).notSent;
  // The headline says already that this text was not sent.
  const used = view.resends || view.mayBeSent ? nothingUsed(view) : 'No credits were used.';
  return message(
    inLines(text, why, !isTaken && used, next, overruled(view)),
    typed(view.text),
    !isOptedOut && draftOf(view).again,
    reference(view),
  );
}

/** The service's answer came after somebody's word, and says something else. */
function overruled({ saidSentBy: by }: SendView): string | undefined {
  return (
    by && `The service answered late. Its answer replaces what ${mention(by)} said: that the text arrived.`
  );
}
