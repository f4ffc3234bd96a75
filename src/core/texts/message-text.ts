import { expandEmoji } from './emoji.ts';

/** The longest message in characters, that is Unicode code points ("Limits": message length). */
export const MESSAGE_LIMIT = 1000;

/** A message's text that can be sent as it is. */
export interface MessageText {
  kind: 'text';
  /** With characters in place of emoji shortcodes; all else as typed. */
  text: string;
}

/** Why a text can't be sent. The sentence is for people; it repeats names of custom emoji and nothing else. */
export type MessageProblem =
  | { kind: 'problem'; code: 'empty'; sentence: string }
  | { kind: 'problem'; code: 'too_long'; sentence: string; characters: number; limit: number }
  | { kind: 'problem'; code: 'custom_emoji'; sentence: string; names: string[] };

/**
 * Reads the text of a message: 1 to {@link MESSAGE_LIMIT} characters once emoji shortcodes are characters, at least one
 * of them visible, and no custom emoji.
 */
export function readMessage(typed: string): MessageText | MessageProblem {
  if (/^[\s\p{Cf}]*$/u.test(typed)) {
    const sentence = `The message is empty: 0 characters, and it needs 1 to ${MESSAGE_LIMIT.toLocaleString('en')}.`;
    return { kind: 'problem', code: 'empty', sentence };
  }
  const { text, custom } = expandEmoji(typed);
  if (custom.length > 0) return customEmojiProblem(custom);

  const characters = countCharacters(text);
  if (characters > MESSAGE_LIMIT) {
    const figures = [characters, MESSAGE_LIMIT].map((figure) => figure.toLocaleString('en'));
    const sentence = `The message has ${figures[0]} characters; the limit is ${figures[1]}.`;
    return { kind: 'problem', code: 'too_long', sentence, characters, limit: MESSAGE_LIMIT };
  }
  return { kind: 'text', text };
}

/** The length of a text in characters (code points): an emoji of one code point is one, a flag is two. */
export function countCharacters(text: string): number {
  let characters = 0;
  for (const _ of text) characters += 1;
  return characters;
}

/**
 * The problem with custom emoji of these names, at least one, for callers who find them elsewhere than in a message.
 */
export function customEmojiProblem(names: string[]): MessageProblem {
  const list = names.map((name) => `:${name}:`).join(', ');
  const sentence =
    names.length === 1
      ? `${list} is a custom emoji of this workspace, which a text message cannot carry. Please take it out.`
      : `${list} are custom emoji of this workspace, which a text message cannot carry. Please take them out.`;
  return { kind: 'problem', code: 'custom_emoji', sentence, names };
}
