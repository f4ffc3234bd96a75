import type { KnownBlock } from '@slack/types';
import type { ChunkResult } from '../../core/sends/outcome.ts';
import type { SendView } from '../../core/sends/send-view.ts';
import { buttons, context, type Message, message, section, typed } from './blocks.ts';
import { clientRefusal } from './client-refusal.ts';
import { expiredText } from './expired-draft.ts';
import { chargeOf, otherStatusOf, reference, saidBy } from './outcome.ts';
import { formButton } from './prefill.ts';
import { recipient } from './recipient.ts';
import { retiredDraft } from './retired-draft.ts';
import { unknownReceipt } from './unknown-receipt.ts';
import { capitalised, credits, mention, shortfall, time } from './words.ts';

/** Send was pressed; the answer is still to come. */
export function sendingMessage(view: SendView): Message {
  return message(`📤 *Sending* to ${recipient(view)} …\nThe receipt follows here.`, typed(view.text));
}

/**
 * Send was pressed, and the request has to wait until about `until` (ms since 1970): the minute's requests are used up
 * (`permits`), or the service turned it away with a 429 (`asked_to_wait`).
 */
export function waitingMessage(
  view: SendView,
  { until, why }: { until: number; why: 'permits' | 'asked_to_wait' },
): Message {
  const reason = {
    permits: 'The service takes only so many requests a minute.',
    asked_to_wait: 'The service asked for a pause.',
  }[why];
  return message(
    `⏸ *Waiting* to send to ${recipient(view)}\n${reason} This text goes out by itself at about ${time(until)}.`,
    typed(view.text),
  );
}

/** What became of a text, for the person who sent it. The typed text is in the blocks only. */
export function receiptMessage(view: SendView): Message {
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
      return view.details.restored ? message(heldBack(view)) : withdrawnMessage(view);
  }
}

function sentReceipt(view: SendView): Message {
  const status = otherStatusOf(view);
  const headline =
    status === undefined
      ? `✅ *Sent* to ${recipient(view)}`
      : `⚠️ *Status ${status}* · text to ${recipient(view)}\nThe service took the text with this status, not with “sent”.\nAsk the service what it means before you send it again.`;
  const twice = view.resends
    ? ['You resent this after an unknown one: they may have both.']
    : view.resentAs
      ? ['This answer came late. You have resent the text since, so they may get it twice.']
      : [];
  const { messageId } = view.result ?? {};
  return message(
    [headline, capitalised(chargeOf(view)), ...twice].join('\n'),
    typed(view.text),
    ...(messageId === undefined ? [] : [context(`Message ${messageId}`)]),
  );
}

function rejectedReceipt(view: SendView): Message {
  const { sentence, showWords } = rejection(view);
  const text = [`⛔ *Rejected* · text to ${recipient(view)}`, sentence, ...overruled(view)].join('\n');
  const words = view.result?.message;
  const blocks: KnownBlock[] = [section(text)];
  if (showWords && words) blocks.push(context('The service’s own words:'), typed(words));
  blocks.push(context('Your text:'), typed(view.text), buttons(againButton(view)), reference(view));
  return { text, blocks };
}

function rejection({ result }: SendView): { sentence: string; showWords: boolean } {
  switch (result?.cause) {
    case 'key_refused':
      return {
        sentence:
          'The service refuses the API key of this channel’s instance.\nNothing was sent and no credits were used.\n' +
          'The admins were told. Once the key is replaced, write the text again.',
        showWords: false,
      };
    case 'credits':
      return {
        sentence: `${shortOf(result)}\nNothing was sent and no credits were used.\nTop up the account, then write the text again.`,
        showWords: false,
      };
    case 'validation':
      return {
        sentence:
          'The service does not accept this number or this text.\nNothing was sent and no credits were used.\n' +
          'Please check both, then write it again.',
        showWords: true,
      };
    case 'refused':
    // The rest reject nothing.
    case 'accepted':
    case 'rate_limited':
    case 'unreachable':
    case 'given_up':
    case 'no_answer':
    case 'broken_answer':
    case 'server_error':
    case 'interrupted':
    case 'group_refused':
    case 'list_refused':
    case 'not_listed':
    case undefined:
      return {
        sentence:
          'The service refused this text.\nNothing was sent and no credits were used.\n' +
          'If its words do not help, show them to an admin with the reference below.',
        showWords: true,
      };
  }
}

function shortOf({ requiredCredits: needed, availableCredits: available }: ChunkResult): string {
  if (needed === undefined || available === undefined) return 'There are not enough credits for this text.';
  return `Not enough credits: ${shortfall(credits(needed), available)}.`;
}

function notSentReceipt(view: SendView): Message {
  const reason = `${reasonNotSent(view)}\nNothing was sent and no credits were used.`;
  const text = [`⛔ *Not sent* · text to ${recipient(view)}`, reason, ...overruled(view)].join('\n');
  return message(text, typed(view.text), buttons(againButton(view)), reference(view));
}

/** The service's answer came after somebody's word, and says something else. */
function overruled({ saidSentBy: by }: SendView): string[] {
  return by === undefined
    ? []
    : [`This answer came late and counts, though ${mention(by)} had said that the text arrived.`];
}

function reasonNotSent({ result }: SendView): string {
  switch (result?.cause) {
    case 'unreachable':
      return 'The service could not be reached. Please try again in a moment.';
    case 'rate_limited':
      return 'The service takes only so many requests a minute, and refused this one. Please try again in a minute.';
    case 'validation':
      return `It was not handed to the service: ${clientRefusal(result.code)}.`;
    case 'given_up':
    // The rest come with an answer of the service, or with none to a request that left.
    case 'accepted':
    case 'key_refused':
    case 'credits':
    case 'refused':
    case 'no_answer':
    case 'broken_answer':
    case 'server_error':
    case 'interrupted':
    case 'group_refused':
    case 'list_refused':
    case 'not_listed':
    case undefined:
      return 'Switchboard was held up, and gave up rather than text somebody late. You can write it again.';
  }
}

/** The text waited in a copy of the data that an operator put back. */
function heldBack(view: SendView): string {
  return `*Cancelled* · text to ${recipient(view)}\nAn operator put an older copy of the data back, so this was not sent again.\nIt may have been sent before that.`;
}

/** Cancel was pressed. */
export function withdrawnMessage(view: SendView): Message {
  return message(`*Cancelled*: nothing was sent to ${recipient(view)}.`);
}

/** A click on a draft that was decided before: what became of it. */
export function tooLateMessage(view: SendView): Message {
  return (
    retiredDraft(view.state, expiredText(view), formButton('Write a text')) ?? message(alreadyDecided(view))
  );
}

function alreadyDecided(view: SendView): string {
  const who = mention(view.decidedBy ?? view.details.by);
  const at = view.decidedAt === undefined ? '' : ` at ${time(view.decidedAt)}`;
  const pressed = `${who} already pressed Send${at}`;
  switch (view.outcome) {
    case 'sent': {
      const status = otherStatusOf(view);
      return status === undefined
        ? `✅ This text was already sent by ${who}${at} · ${chargeOf(view)}.`
        : `${pressed}.\nThe service took the text with the status ${status} · ${chargeOf(view)}.`;
    }
    case 'rejected':
      return `${pressed}. The text was *rejected*, and no credits were used.`;
    case 'not_sent':
      return `${pressed}. The text was *not sent*, and no credits were used.`;
    case 'unknown':
      if (view.saidSentBy !== undefined) return `${pressed}. It was sent ${saidBy(view.saidSentBy)}.`;
      if (view.resentAs !== undefined)
        return `${pressed}. Whether it went out is *unknown*, and it was resent since.`;
      return `${pressed}. Whether the text went out is *unknown*. We won’t retry by ourselves.`;
    case 'cancelled':
      if (view.details.restored) return heldBack(view);
      return `${pressed}, but it was *cancelled* in time. Nothing was sent.`;
    case 'pending':
    case 'sending':
    case 'split':
      return `${pressed}. The service has not answered yet: the receipt follows by itself.`;
  }
}

function againButton(view: SendView) {
  return formButton('Write a text', { recipient: view.e164, message: view.text });
}
