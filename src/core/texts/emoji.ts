import { emojiNamed, withSkinTones } from './emoji-names.ts';

/** `:thumbsup:`. Workspaces name their own emoji in any script, without capitals. */
const SHORTCODE = /:([\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}_+'-]+):/u.source;
export const SHORTCODES = new RegExp(SHORTCODE, 'gu');
const WITH_SKIN_TONE = new RegExp(`${SHORTCODE}(?::skin-tone-([2-6](?:-[2-6])?):)?`, 'gu');
const SHORTCODE_NEXT = new RegExp(`^${SHORTCODE}`, 'u');

/**
 * Replaces emoji shortcodes as Slack hands them over (`:thumbsup:`, `:wave::skin-tone-3:`) by their characters.
 *
 * Not everything between colons is one. We replace a standard name with no letter or digit at its colons. At one end of
 * a word (`ok:+1:`, as Slack's picker writes), we replace a name unless it is all digits (`10:100:`). Inside a word a
 * name must be `+1`, `-1`, or three characters with a letter (`a:b:c` and `10:100:15` stay). An unknown name of two
 * characters or more, one of them a letter, is a custom emoji if it shares no colon. So `10:30:45`, `http://x:80:`,
 * `std::vector::` and `note:urgent: call` stay as they are.
 *
 * `custom`: names of custom emoji, each once, in their order: pictures of the workspace that no text message can carry.
 * Half a surrogate pair becomes �, since the service may refuse a whole list for it.
 */
export function expandEmoji(typed: string): { text: string; custom: string[] } {
  const text = typed.toWellFormed();
  const shortcode = new RegExp(WITH_SKIN_TONE);
  const custom = new Set<string>();
  let expanded = '';
  let from = 0;
  for (let match = shortcode.exec(text); match; match = shortcode.exec(text)) {
    const [whole, name = '', tones] = match;
    const end = match.index + whole.length;
    const followsOne = from > 0 && match.index === from;
    const before = followsOne ? '' : text.slice(Math.max(0, match.index - 2), match.index);
    const after = text.slice(end);
    const emoji = emojiNamed(name);
    const taken = emoji === undefined ? isCustom(name, before, after) : isMeant(name, before, after);
    if (!taken) {
      // The match is no shortcode, so its second colon may begin one.
      shortcode.lastIndex = match.index + name.length + 1;
      continue;
    }
    if (emoji === undefined) custom.add(name);
    const shown = emoji === undefined ? whole : tones ? withSkinTones(emoji, tones) : emoji;
    expanded += text.slice(from, match.index) + shown;
    from = end;
  }
  return { text: expanded + text.slice(from), custom: [...custom] };
}

const WORD_BEFORE = /[\p{L}\p{N}\p{M}]$/u;
const WORD_AFTER = /^[\p{L}\p{N}\p{M}]/u;

function isMeant(name: string, before: string, after: string): boolean {
  const gluedBefore = WORD_BEFORE.test(before);
  const gluedAfter = WORD_AFTER.test(after);
  if (gluedBefore && gluedAfter) return /^[+-]1$/.test(name) || (name.length > 2 && /[a-z]/.test(name));
  return gluedBefore || gluedAfter ? !/^\d+$/.test(name) : true;
}

function isCustom(name: string, before: string, after: string): boolean {
  if (name.length < 2 || !/\p{L}/u.test(name)) return false;
  if (WORD_BEFORE.test(before) || /[:/@]$/.test(before)) return false;
  return !WORD_AFTER.test(after) && (!after.startsWith(':') || SHORTCODE_NEXT.test(after));
}
