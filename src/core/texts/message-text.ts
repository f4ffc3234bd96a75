import { MESSAGE_MAX } from '../../sms/schema.ts';
import { expandEmoji } from './emoji.ts';

export { MESSAGE_MAX } from '../../sms/schema.ts';

/** Why a text can't be sent. */
export type MessageProblem =
  | { kind: 'problem'; code: 'empty' }
  | { kind: 'problem'; code: 'too_long'; characters: number; limit: number }
  /** Names of emoji that only this workspace has, at least one. */
  | { kind: 'problem'; code: 'custom_emoji'; names: string[] };

/**
 * Reads the text of a message, and replaces emoji shortcodes. Allows 1 to {@link MESSAGE_MAX} characters, at least
 * one of them visible, and no custom emoji. Everything else stays as typed.
 */
export function readMessage(typed: string): { kind: 'text'; text: string } | MessageProblem {
  if (isBlank(typed)) return { kind: 'problem', code: 'empty' };
  const { text, custom } = expandEmoji(typed);
  if (custom.length > 0) return { kind: 'problem', code: 'custom_emoji', names: custom };

  const characters = countCharacters(text);
  if (characters > MESSAGE_MAX) return { kind: 'problem', code: 'too_long', characters, limit: MESSAGE_MAX };
  return { kind: 'text', text };
}

/** White space, control characters, and what fonts draw nothing for: the blank of Braille is a sign of its own. */
const BLANK = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** Whether nothing can be seen of a text. */
export function isBlank(text: string): boolean {
  return text === '' || BLANK.test(text);
}

/** The length of a text in characters (code points). A simple emoji counts as one, a flag as two. */
export function countCharacters(text: string): number {
  let characters = 0;
  for (const _ of text) characters += 1;
  return characters;
}
