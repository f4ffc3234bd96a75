import type { Button } from '@slack/types';
import type { GivenSend, ReadSend, SendReading } from '../../../core/sends/typed-send.ts';
import { SHORTCODES } from '../../../core/texts/emoji.ts';
import { describeNumber } from '../../../core/texts/phone-format.ts';
import { joined, type Message, message, section, small, typed } from '../blocks.ts';
import { formButton, LIST_BUTTON, withWordsAndForm } from '../prefill.ts';
import { cut, escaped } from '../safe-text.ts';
import { recipientSentence, textSentence } from './typed-problems.ts';

/** The longest text that a reading repeats. */
const SHOWN_MAX = 300;
/** A sentence may name any number of custom emoji; a section holds 3000 characters. */
const SENTENCE_MAX = 1000;
const MOST_READINGS = 4;

/** Says why we can't use the words after `/sms send`, what we read in them, and how to go on. */
export function readingMessage(read: Exclude<ReadSend, { kind: 'send' }>): Message {
  switch (read.kind) {
    case 'empty':
      return message('⛔ The number and the text are missing.', formButton('Open the form'));
    case 'no_text':
      return withForm(
        `The text is missing. Write it after the number.\n${understood(read.number)}`,
        read.given,
      );
    case 'ambiguous':
      return joined(
        'We can read this number in more than one way. Which number do you mean?',
        ...read.readings.slice(0, MOST_READINGS).map(readingOf),
        small('Press a button, or type one of these commands. The quotation marks end the number.'),
      );
    case 'problem':
      if (read.field === 'text')
        return withForm(`${inMrkdwn(textSentence(read.problem))}\n${understood(read.number)}`, read.given);
      return withForm(
        inMrkdwn(recipientSentence(read.problem)),
        read.given,
        read.problem.code === 'several_numbers' ? LIST_BUTTON : undefined,
      );
  }
}

/** A plain sentence as mrkdwn. Names of emoji become code, or Slack would show the pictures. */
function inMrkdwn(sentence: string): string {
  return escaped(cut(sentence, SENTENCE_MAX)).replace(SHORTCODES, '`$&`');
}

function understood(number: SendReading['number']): string {
  return `Number: *${escaped(describeNumber(number))}*`;
}

/** A refusal with the number and text as we read them, and a button to the form with both. */
function withForm(why: string, given: GivenSend, more?: Button): Message {
  return withWordsAndForm(
    message(`⛔ ${why}\nNothing was sent.`),
    { recipient: given.number, message: given.text },
    more,
  );
}

/** A number with its text, the exact command for them, and a button to a form with both. */
function readingOf({ number, text }: SendReading, index: number): Message {
  const name = `${index + 1}. *${escaped(describeNumber(number))}*${text === '' ? ', with no text' : ''}`;
  return {
    text: `${name}: \`/sms send "${number.e164}" …\``,
    blocks: [
      section(name, formButton('Open the form', { recipient: number.e164, message: text })),
      typed(`/sms send "${number.e164}" ${text.length > SHOWN_MAX ? '… and the text' : text}`.trimEnd()),
    ],
  };
}
