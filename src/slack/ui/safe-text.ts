/** The longest name of an instance or account that we show, in UTF-16 units. */
const NAME_MAX = 60;
/** The longest such name once it is escaped: a list of requests or jobs shows many. */
const ESCAPED_NAME_MAX = 2 * NAME_MAX;
const BIDI_CONTROLS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;
const RTL = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/**
 * Makes text from a person, a file or the service safe for mrkdwn. Turns `& < >` into entities, so mentions and links
 * in the text have no effect. `@here` and the like get a word joiner. See
 * docs.slack.dev/messaging/formatting-message-text. The result is at most 5 times as long.
 */
export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/@(?=here\b|channel\b|everyone\b)/gi, '@\u2060');
}

/** At most `max` UTF-16 units. A longer text is cut between characters, and ends in `…`. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const kept = text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '');
  return `${kept.trimEnd()}…`;
}

/** Cuts a text to `room` characters of JSON, and ends it in `…`. Slack limits a message by the length of its JSON. */
export function fitted(text: string, room: number): string {
  if (sizeInJson(text) <= room) return text;
  let used = 1;
  let end = 0;
  for (const character of text) {
    used += sizeInJson(character);
    if (used > room) break;
    end += character.length;
  }
  return `${text.slice(0, end).trimEnd()}…`;
}

/** How many characters a text takes in JSON, without its quotation marks. */
export function sizeInJson(text: string): number {
  return JSON.stringify(text).length - 2;
}

/** A name on one line, without marks that change the writing direction; cut to `max`. For plain text: does not escape. */
export function oneLine(name: string, max = NAME_MAX): string {
  return cut(
    name
      .replace(BIDI_CONTROLS, '')
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim(),
    max,
  );
}

/** A name for mrkdwn, in quotation marks: “Sales”. */
export function quoted(name: string): string {
  return `“${named(name)}”`;
}

/**
 * A name for mrkdwn. Isolates a right-to-left name, so the words around it keep their order. Cuts a name that consists
 * of `& < >` earlier than others.
 */
export function named(name: string): string {
  const shown = escaped(isolated(oneLine(name)));
  // `escaped` makes a text five times as long at most.
  return shown.length <= ESCAPED_NAME_MAX ? shown : escaped(isolated(oneLine(name, ESCAPED_NAME_MAX / 5)));
}

function isolated(name: string): string {
  return RTL.test(name) ? `\u2068${name}\u2069` : name;
}
