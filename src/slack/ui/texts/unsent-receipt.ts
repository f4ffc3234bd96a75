import type { Button } from '@slack/types';
import type { SendView } from '../../../core/sends/send-view.ts';
import { buttons, context, type Message, message, typed, typedBelow } from '../blocks.ts';
import { nothingSent } from '../expired-draft.ts';
import { reference } from '../outcome-words.ts';
import { formButton } from '../prefill.ts';
import { recipient } from '../recipient.ts';
import { notSentWords } from '../reports/history-words.ts';
import { capitalised, inLines, mention } from '../words.ts';
import { causeWords } from './cause-words.ts';

/** Says nothing of a first text that is sent again here. */
function nothingUsed(view: SendView): string {
  return `${capitalised(nothingSent(view))} and no credits were used${view.resends ? ' for that' : ''}.`;
}

export function rejectedReceipt(view: SendView): Message {
  const { why, next, showWords } = causeWords(view.result).rejected;
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
    inLines(text, causeWords(view.result).notSent, !isTaken && nothingUsed(view), overruled(view)),
    typed(view.text),
    !isOptedOut && buttons(againButton(view)),
    reference(view),
  );
}

/** The service's answer came after somebody's word, and says something else. */
function overruled({ saidSentBy: by }: SendView): string | undefined {
  return by && `This answer came late and counts, though ${mention(by)} had said that the text arrived.`;
}

function againButton(view: SendView): Button {
  return formButton('Write a text', { recipient: view.e164, message: view.text });
}
