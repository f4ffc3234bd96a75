import type { NoNumber } from '../../../core/sends/typed-send.ts';
import { MESSAGE_MAX, type MessageProblem } from '../../../core/texts/message-text.ts';
import type { AmbiguousNumber, NumberFault, NumberProblem, ReadNumber } from '../../../core/texts/phone.ts';
import { countryName, describeNumber } from '../../../core/texts/phone-format.ts';
import { count } from '../words.ts';

const BRITISH = '+44 20 7946 0958';

const SENTENCES: { [code in NumberFault | NoNumber['code']]: string } = {
  empty: `The phone number is missing. Write it with its country code, such as ${BRITISH}.`,
  no_number: `The phone number comes first, such as ${BRITISH}, and then the text.`,
  open_quote: 'The quotation mark before the phone number is not closed. Close it, or take it out.',
  letters: `There are letters in the phone number. Write digits only, such as ${BRITISH}.`,
  characters: `Some characters do not belong in a phone number. Write it like ${BRITISH}.`,
  extension: 'This number has an extension, which a text cannot reach. Leave it out.',
  several_numbers: 'There is more than one phone number here. Write one of them.',
  no_country_code: `No country code. Write it like ${BRITISH}, or ask an admin to set a default country.`,
  unknown_country: `This number does not begin with a known country code. Write it like ${BRITISH}.`,
  too_short:
    'This number is too short. Write all its digits with the country code, in the US like +1 212 555 0123.',
  too_long: 'This number is too long: numbers of its country have fewer digits.',
  wrong_length: 'Numbers of this country have more or fewer digits. Please check it.',
};

/** What is wrong with a typed number. Plain text. The typed words stay out, unless they can be read in several ways. */
export function numberSentence(problem: NumberProblem | NoNumber | AmbiguousNumber): string {
  if (problem.kind === 'ambiguous') return whichNumber(problem.readings);
  if (problem.code !== 'not_in_country') return SENTENCES[problem.code];
  const other = problem.country === 'GB' ? '+49 30 901820' : BRITISH;
  return `This is not a number of the default country (${countryName(problem.country)}). Write one of another country like ${other}.`;
}

/** The same at the recipient of a text: a list goes to several people. */
export function recipientSentence(problem: Parameters<typeof numberSentence>[0]): string {
  const isSeveral = problem.kind === 'problem' && problem.code === 'several_numbers';
  return `${numberSentence(problem)}${isSeveral ? ' For several people use /sms bulk.' : ''}`;
}

/** Asks about a number that we can read in several ways. Plain text. */
export function whichNumber(readings: ReadNumber[]): string {
  const ways = readings.map((reading) => describeNumber(reading)).join(' or ');
  return `This could be ${ways}. Write it with + and the country code.`;
}

/** What is wrong with a typed text. Plain text, which repeats names of custom emoji and nothing else. */
export function textSentence(problem: MessageProblem): string {
  switch (problem.code) {
    case 'empty':
      return `The message is empty. Write 1 to ${count(MESSAGE_MAX)} characters.`;
    case 'too_long':
      return `The message has ${count(problem.characters)} characters; the limit is ${count(problem.limit)}. Please shorten it.`;
    case 'custom_emoji':
      return customEmoji(problem.names);
  }
}

/** Names emoji that only this workspace has. There is at least one. */
export function customEmoji(names: string[]): string {
  const list = names.map((name) => `:${name}:`).join(', ');
  return names.length === 1
    ? `${list} is a custom emoji of this workspace. A text cannot carry it: take it out.`
    : `${list} are custom emoji of this workspace. A text cannot carry them: take them out.`;
}

/** Why a message's shortcut opened the form without its words: plain text. */
export const MESSAGE_WORDS = {
  none: 'This message has no words. Write the text here.',
  /** A function, since the first formatted figure would make a start 20 ms slower. */
  tooLong: () =>
    `This message is too long for a text: the limit is ${count(MESSAGE_MAX)} characters. Write a shorter one here.`,
} as const;

const CLIENT_REFUSALS: { [code: string]: string } = {
  phone_invalid: 'a phone number has 5 to 15 digits and starts with its country code',
  text_empty: 'the text is empty',
  text_too_long: 'the text is too long',
};

/** Why our own client did not hand a text to the service, by its code: a clause in plain text. */
export function clientRefusal(code = ''): string {
  return CLIENT_REFUSALS[code] ?? 'the service does not take this number or text';
}
