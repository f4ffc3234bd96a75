import SHORTCODES from 'emojibase-data/en/shortcodes/iamcal.json' with { type: 'json' };

/** Names that Slack offers in every workspace and that the data set, Slack's own otherwise, lacks. */
const MORE_NAMES: ReadonlyMap<string, string> = new Map([
  ['simple_smile', 'slightly_smiling_face'],
  ['white_square', 'white_large_square'],
  ['black_square', 'black_large_square'],
]);

/** Emoji of two people, and how they are composed when each person has a skin tone of their own. */
const TWO_PEOPLE: ReadonlyMap<string, string> = new Map([
  ['🤝', '🫱\u200D🫲'],
  ['👫', '👩\u200D🤝\u200D👨'],
  ['👬', '👨\u200D🤝\u200D👨'],
  ['👭', '👩\u200D🤝\u200D👩'],
  ['💏', '🧑\u200D❤️\u200D💋\u200D🧑'],
  ['💑', '🧑\u200D❤️\u200D🧑'],
]);

/** Hexcodes by name. The first lookup makes it, so that the start need not. */
let hexcodes: ReadonlyMap<string, string> | undefined;

function byName(): ReadonlyMap<string, string> {
  const pairs = Object.entries(SHORTCODES).flatMap(([hexcode, names]) =>
    [names].flat().map((name) => [name, hexcode] as const),
  );
  return new Map(pairs);
}

/** The character behind one of Slack's standard emoji names (`thumbsup`, `+1`, `flag-gb`), if it is one. */
export function emojiNamed(name: string): string | undefined {
  hexcodes ??= byName();
  const hexcode = hexcodes.get(MORE_NAMES.get(name) ?? name);
  if (hexcode === undefined) return undefined;
  const codePoints = hexcode.split('-').map((part) => Number.parseInt(part, 16));
  return inColour(String.fromCodePoint(...codePoints));
}

/** The data leaves out the selector that makes ❤ a coloured ❤️ on a phone. */
function inColour(emoji: string): string {
  return emoji.replace(
    /(?=\p{Emoji})[^\p{Emoji_Presentation}\p{Emoji_Modifier}](?![\uFE0F\u{1F3FB}-\u{1F3FF}])/gu,
    '$&\uFE0F',
  );
}

/**
 * Gives the people of an emoji their skin tones: Slack's `2`…`6`, two of them (`2-3`) for two people.
 * An emoji that cannot take them keeps its colour, and the tones follow it, as Slack shows it.
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
  return used >= modifiers.length && isOneEmoji(toned) ? toned : `${emoji}${modifiers.join('')}`;
}

/** Whether Unicode recommends this emoji for interchange: then phones have a picture for it. */
function isOneEmoji(text: string): boolean {
  // Not a constant of the file: its big table takes 18 ms to load, and skin tones are rare.
  return /^\p{RGI_Emoji}$/v.test(text);
}
