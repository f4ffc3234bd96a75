import { MESSAGE_LIMIT, type MessageProblem } from '../../../core/texts/message-text.ts';
import { count } from '../words.ts';

/** What is wrong with a typed text, as plain text. It repeats names of custom emoji and nothing else. */
export function textSentence(problem: MessageProblem): string {
  switch (problem.code) {
    case 'empty':
      return `The message is empty. Write 1 to ${count(MESSAGE_LIMIT)} characters.`;
    case 'too_long':
      return `The message has ${count(problem.characters)} characters; the limit is ${count(problem.limit)}.`;
    case 'custom_emoji':
      return customEmoji(problem.names);
  }
}

/** Emoji that only this workspace has, at least one. */
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
    `This message is too long for a text: the limit is ${count(MESSAGE_LIMIT)} characters. Write a shorter one here.`,
} as const;

/** Why our own client did not hand a text to the service, by its code: a clause in plain text. */
export function clientRefusal(code: string | undefined): string {
  switch (code) {
    case 'phone_invalid':
      return 'a number needs 5 to 15 digits, its country code first';
    case 'text_empty':
      return 'the text is empty';
    case 'text_too_long':
      return 'the text is too long';
    default:
      return 'the service takes no such number or text';
  }
}
