/** What Slack wraps: links, telephone numbers and mail addresses that it found, and mentions. */
const WRAPPED = /<(?:(?:tel:|mailto:|https?:\/\/)([^<>|]*)|[@#!][^<>|]*)(?:\|([^<>]*))?>/g;

/**
 * Gives back what the person typed, from the text of a command or a message as Slack hands it over. `<tel:+44…|+44
 * 20…>` becomes `+44 20…`, and `&lt; &gt; &amp;` become `< > &` (docs.slack.dev/messaging/formatting-message-text).
 */
export function unwrapSlackText(text: string): string {
  return unescaped(
    text.replace(WRAPPED, (whole: string, address: string | undefined, label: string | undefined) => {
      if (label) return /^<[@#]/.test(whole) && !/^[@#]/.test(label) ? `${whole[1]}${label}` : label;
      if (address === undefined) return whole.slice(1, -1).replace(/^!(?:subteam\^)?/, '@');
      return /^<(?:tel|mailto):/.test(whole) ? address : whole.slice(1, -1);
    }),
  );
}

/** `< > &` in the place of their entities. */
export function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/**
 * Splits the unwrapped text of `/sms …` into its command word and the rest. `word`: in lower case, without dashes in front
 * (`--help` is `help`) and invisible marks; empty when there is none. `rest`: without white space at its ends; inner spaces
 * and line breaks as typed.
 */
export function splitCommand(text: string): { word: string; rest: string } {
  const typed = text.replace(/^[\s\p{Cf}]+/u, '').trimEnd();
  const [word = ''] = /^\S+/.exec(typed) ?? [];
  return {
    word: word
      .replace(/\p{Cf}/gu, '')
      .replace(/^\p{Pd}+/u, '')
      .toLowerCase(),
    rest: typed.slice(word.length).trimStart(),
  };
}
