import type { Button } from '@slack/types';
import type { ChunkResult } from '../../../core/sends/chunk-result.ts';
import type { SendView } from '../../../core/sends/send-view.ts';
import { buttons, context, type Message, message, typed, typedBelow } from '../blocks.ts';
import { nothingSent } from '../expired-draft.ts';
import { reference } from '../outcome-words.ts';
import { formButton } from '../prefill.ts';
import { recipient } from '../recipient.ts';
import { notSentWords } from '../reports/history-words.ts';
import { capitalised, count, credits, inLines, mention } from '../words.ts';
import { clientRefusal } from './text-problems.ts';

/** Says nothing of a first text that is sent again here. */
function nothingUsed(view: SendView): string {
  return `${capitalised(nothingSent(view))} and no credits were used${view.resends ? ' for that' : ''}.`;
}

/** Words that only say what the headline says: "The request is not valid." */
const SAYS_NOTHING = /^(?:the )?(?:request|input|validation)\b.{0,20}(?:not valid|invalid|failed)\W*$/i;

export function rejectedReceipt(view: SendView): Message {
  const { why, next, showWords } = rejection(view);
  const words = view.result?.message;
  // What was refused comes first where it was not the text.
  const opening =
    view.result?.cause === 'key_refused'
      ? [`⛔ *Rejected* · ${why}`, `Text to ${recipient(view)}`]
      : [`⛔ *Rejected* · text to ${recipient(view)}`, why];
  return message(
    inLines(...opening, nothingUsed(view), next, overruled(view)),
    ...typedBelow('The service’s own words:', showWords ? words : undefined),
    context('Your text:'),
    typed(view.text),
    buttons(againButton(view)),
    reference(view),
  );
}

/** The text was never handed to the service, or the service did not process it. */
export function notSentReceipt(view: SendView): Message {
  const isOptedOut = view.barredFor === 'opted_out';
  const text = `⛔ *${capitalised(notSentWords(view))}* · text to ${recipient(view)}`;
  const isTaken = view.result?.cause === 'repeated';
  return message(
    inLines(text, reasonNotSent(view), !isTaken && nothingUsed(view), overruled(view)),
    typed(view.text),
    !isOptedOut && buttons(againButton(view)),
    reference(view),
  );
}

/** Why the service refused a text, what to do, and whether its own words help. */
function rejection({ result }: SendView): { why: string; next: string; showWords: boolean } {
  switch (result?.cause) {
    case 'key_refused':
      return {
        why: 'the service refuses the API key, not the number',
        next: 'The admins were told. Once the key is replaced, write the text again.',
        showWords: false,
      };
    case 'credits':
      return {
        why: missingCredits(result),
        next: 'Top up the account, then write the text again.',
        showWords: false,
      };
    case 'validation':
      return {
        why: 'The service does not accept this number or this text.',
        next: 'Please check both, then write it again.',
        showWords: !SAYS_NOTHING.test(result.message ?? ''),
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
    case 'opted_out':
    case 'other_account':
    case 'repeated':
    case undefined:
      return {
        why: 'The service refused this text.',
        next: 'If its words do not help, show them to an admin with the reference below.',
        showWords: true,
      };
  }
}

function missingCredits({ requiredCredits: needed, availableCredits: available }: ChunkResult): string {
  if (needed === undefined || available === undefined) return 'There are not enough credits for this text.';
  return `Not enough credits: this text needs ${credits(needed)}, and the account has ${count(available)}.`;
}

/** The service's answer came after somebody's word, and says something else. */
function overruled({ saidSentBy: by }: SendView): string | undefined {
  return by && `This answer came late and counts, though ${mention(by)} had said that the text arrived.`;
}

function reasonNotSent({ result }: SendView): string {
  switch (result?.cause) {
    case 'unreachable':
      return 'The service could not be reached. Please try again in a moment.';
    case 'rate_limited':
      return 'The service limits requests per minute, and refused this one. Please try again in a minute.';
    case 'validation':
      return `It was not handed to the service: ${clientRefusal(result.code)}.`;
    case 'opted_out':
      return 'The number was opted out before the text left. `/sms optouts` says more.';
    case 'other_account':
      return 'The API key of this channel was replaced after *Send*: another account would have paid.\nWrite the text again to see that account’s balance.';
    case 'repeated':
      return 'The answer to the unknown text came late: the service had taken it. So it was not sent again.';
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

function againButton(view: SendView): Button {
  return formButton('Write a text', { recipient: view.e164, message: view.text });
}
