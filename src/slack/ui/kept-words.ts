import type { Button, KnownBlock } from '@slack/types';
import { buttons, context, type Message, typed } from './blocks.ts';
import { fitsButton, formButton, type Prefill } from './prefill.ts';

/** A refusal that shows the person's words again, with a button to the form that begins with them, and `more` buttons. */
export function withWordsAndForm(refusal: Message, given: Prefill, more: Button[] = []): Message {
  const shown = withWords(refusal, given);
  const tooLong = fitsButton(given)
    ? []
    : [context('The form opens without the text: it is too long to be carried over.')];
  return {
    ...shown,
    blocks: [...shown.blocks, ...tooLong, buttons(formButton('Open the form', given), ...more)],
  };
}

/** A refusal that shows the person's words again, without the form: it would not help. */
export function withWords(refusal: Message, { recipient = '', message = '' }: Prefill): Message {
  const blocks: KnownBlock[] = [];
  if (recipient !== '') blocks.push(context('The number:'), typed(recipient));
  if (message !== '') blocks.push(context(recipient === '' ? 'You typed:' : 'The text:'), typed(message));
  return { ...refusal, blocks: [...refusal.blocks, ...blocks] };
}
