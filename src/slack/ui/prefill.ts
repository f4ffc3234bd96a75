import type { Button } from '@slack/types';
import { z } from 'zod';
import { button, context, joined, type Message, typedBelow } from './blocks.ts';
import { ACTIONS } from './ids.ts';

/** What the send form begins with. The button that opens the form carries it. */
export const Prefill = z.object({
  recipient: z.string().optional(),
  message: z.string().optional(),
  channel: z.string().optional(),
});
export type Prefill = z.infer<typeof Prefill>;

/** A button's value: docs.slack.dev/reference/block-kit/block-elements/button-element. */
const VALUE_MAX = 2000;

/** Whether `formButton` carries all of this. */
export function fitsButton(prefill: Prefill): boolean {
  return JSON.stringify(prefill).length <= VALUE_MAX;
}

/** The button that opens the send form. A message that does not fit stays out whole: nobody must send a part. */
export function formButton(label: 'Write a text' | 'Open the form', prefill: Prefill = {}): Button {
  const { message, ...rest } = prefill;
  const carried = Object.fromEntries(
    Object.entries(fitsButton(prefill) ? prefill : rest).filter(([, value]) => value !== ''),
  );
  const value = Object.keys(carried).length === 0 ? undefined : JSON.stringify(carried);
  return button(ACTIONS.writeText, label, value);
}

export const LIST_BUTTON = button(ACTIONS.writeBulk, 'Text a list');

/** A refusal that shows the person's words again. Its button opens the form with them. */
export function withWordsAndForm(refusal: Message, given: Prefill, more?: Button): Message {
  return joined(
    withWords(refusal, given),
    !fitsButton(given) && context('The form opens without the text, which is too long. Copy the text over.'),
    formButton('Open the form', given),
    more,
  );
}

/** A refusal that shows the person's words again, without the form: it would not help. */
export function withWords(refusal: Message, { recipient = '', message = '' }: Prefill): Message {
  const label = recipient === '' ? 'You typed:' : 'The text:';
  return joined(refusal, ...typedBelow('The number:', recipient), ...typedBelow(label, message));
}
