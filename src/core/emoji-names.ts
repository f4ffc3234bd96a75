import SHORTCODES from 'emojibase-data/en/shortcodes/iamcal.json' with { type: 'json' };

/** Names that Slack offers in every workspace and that the data set, Slack's own otherwise, lacks. */
const MORE_NAMES = {
  simple_smile: '🙂',
  white_square: '⬜',
  black_square: '⬛',
} as const;

/** Emoji of two people, and how they are composed when each person has a skin tone of their own. */
const TWO_PEOPLE: ReadonlyMap<string, string> = new Map([
  ['🤝', '🫱\u200D🫲'],
  ['👫', '👩\u200D🤝\u200D👨'],
  ['👬', '👨\u200D🤝\u200D👨'],
  ['👭', '👩\u200D🤝\u200D👩'],
  ['💏', '🧑\u200D❤️\u200D💋\u200D🧑'],
  ['💑', '🧑\u200D❤️\u200D🧑'],
]);

const CHARACTERS = new Map<string, string>(Object.entries(MORE_NAMES));
for (const [hexcode, names] of Object.entries(SHORTCODES)) {
  const codePoints = hexcode.split('-').map((part) => Number.parseInt(part, 16));
  for (const name of [names].flat()) CHARACTERS.set(name, asEmoji(String.fromCodePoint(...codePoints)));
}

/** The data leaves out the selector that makes ❤ a coloured ❤️ on a phone. */
function asEmoji(character: string): string {
  return character.replace(
    /(?=\p{Emoji})[^\p{Emoji_Presentation}\p{Emoji_Modifier}](?![\uFE0F\u{1F3FB}-\u{1F3FF}])/gu,
    '$&\uFE0F',
  );
}

/** The character behind one of Slack's standard emoji names (`thumbsup`, `+1`, `flag-gb`), if it is one. */
export function emojiNamed(name: string): string | undefined {
  return CHARACTERS.get(name);
}

/** A single emoji as Unicode recommends it for general interchange: what phones have a picture for. */
const ONE_EMOJI = /^\p{RGI_Emoji}$/v;

/**
 * Gives the people of an emoji their skin tones: Slack's `2`…`6`, two of them (`2-3`) for two people.
 * An emoji that cannot take them keeps its colour and the tones stand behind it, as Slack shows it.
 */
export function withSkinTones(emoji: string, tones: string): string {
  const modifiers = tones.split('-').map((tone) => String.fromCodePoint(0x1f3f9 + Number(tone)));
  const people = modifiers.length > 1 ? (TWO_PEOPLE.get(emoji) ?? emoji) : emoji;
  let used = 0;
  // The hands that join two people have no colour of their own.
  const toned = people.replace(/(?!🤝\u200D)(\p{Emoji_Modifier_Base})\uFE0F?/gu, (_, person: string) => {
    const modifier = modifiers[Math.min(used, modifiers.length - 1)];
    used += 1;
    return `${person}${modifier}`;
  });
  return used >= modifiers.length && ONE_EMOJI.test(toned) ? toned : `${emoji}${modifiers.join('')}`;
}
