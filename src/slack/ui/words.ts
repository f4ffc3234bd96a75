import type {
  ActionsBlock,
  Button,
  ContextBlock,
  KnownBlock,
  MrkdwnElement,
  PlainTextElement,
  RichTextBlock,
  SectionBlock,
} from '@slack/types';
import { OPERATOR } from '../../core/accounts/instances.ts';
import type { Estimate } from '../../core/sends/estimate.ts';
import type { LastBalance } from '../../core/sends/send-details.ts';

/** What is posted: blocks for the eye, `text` (mrkdwn) for notifications and screen readers. */
export interface Message {
  text: string;
  blocks: KnownBlock[];
}

/** The longest name of an instance or account that is shown whole, in UTF-16 units. */
const NAME_MAX = 60;
/** Of many people, so many are mentioned. */
const MOST_MENTIONED = 10;
/** What a rich text element holds: docs.slack.dev/reference/block-kit/blocks/rich-text-block, with room to spare. */
const TYPED_MAX = 2900;
const BIDI_CONTROLS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;
const RTL = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/**
 * A text from a person, a file or the service, for mrkdwn: `& < >` as entities, so that no mention or link in it lives
 * (docs.slack.dev/messaging/formatting-message-text), and a word joiner in `@here` and its like. At most 5 times as
 * long.
 */
export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/@(?=here\b|channel\b|everyone\b)/gi, '@\u2060');
}

/** At most `max` UTF-16 units, cut with `…` between characters. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const kept = text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '');
  return `${kept.trimEnd()}…`;
}

/** At most `room` characters of JSON, in which Slack counts what a message holds; cut with `…` between characters. */
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

/** What a text takes in JSON, without its quotation marks. */
export function sizeInJson(text: string): number {
  return JSON.stringify(text).length - 2;
}

/** A name on one line without marks that turn the writing direction; cut to `max`. For plain text: not escaped. */
export function oneLine(name: string, max = NAME_MAX): string {
  return cut(
    name
      .replace(BIDI_CONTROLS, '')
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim(),
    max,
  );
}

/** A name for mrkdwn, in quotation marks: “Sales”. Right-to-left names keep to themselves. */
export function quoted(name: string): string {
  const shown = oneLine(name);
  return `“${escaped(RTL.test(shown) ? `\u2068${shown}\u2069` : shown)}”`;
}

/**
 * Made once: `toLocaleString` looks a locale's rules up at every call. Not at the start, which it would hold up by 20
 * ms.
 */
let figures: Intl.NumberFormat | undefined;

/** `4,213` */
export function count(n: number): string {
  figures ??= new Intl.NumberFormat('en-US');
  return figures.format(n);
}

/** `1 credit`, `4,213 credits` */
export function credits(n: number): string {
  return plural(n, 'credit');
}

/** `≈ 4,426`, or `4,213 to 4,426` where the price of long texts is not known yet. */
export function estimated({ credits: most, least }: Pick<Estimate, 'credits' | 'least'>): string {
  return least === undefined ? `≈ ${count(most)}` : `${count(least)} to ${count(most)}`;
}

/** `≈ 1 credit`, `1 to 7 credits` */
export function estimatedCredits(estimate: Pick<Estimate, 'credits' | 'least'>): string {
  return `${estimated(estimate)} credit${estimate.credits === 1 ? '' : 's'}`;
}

/** What an estimate leaves of a balance: `998`, `992 to 998`. */
export function estimatedRest(balance: number, { credits: most, least }: Estimate): string {
  const rest = count(balance - most);
  return least === undefined ? rest : `${rest} to ${count(balance - least)}`;
}

/** There is no fresh balance: the last one and its age, where one is known. */
export function noFreshBalance(last: LastBalance | undefined): string {
  if (!last) return 'the balance could not be read just now';
  const were = last.credits === 1 ? 'was' : 'were';
  return `as of ${when(last.at)} there ${were} ${credits(last.credits)}; the service can’t be asked right now`;
}

/** Why an estimate has two figures. */
export const PRICE_UNKNOWN = 'your price for long texts is not known yet';

/** As `estimatedCredits`; of two figures also why there are two. */
export function neededCredits(estimate: Pick<Estimate, 'credits' | 'least'>): string {
  const why = estimate.least === undefined ? '' : ` (${PRICE_UNKNOWN})`;
  return `${estimatedCredits(estimate)}${why}`;
}

/** `1 segment`, `2 segments` */
export function plural(n: number, noun: string): string {
  return `${count(n)} ${noun}${n === 1 ? '' : 's'}`;
}

/** A stretch of time to come, in ms: `less than a minute`, `about 5 minutes`, `about 2 hours`. */
export function about(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (ms < 60_000) return 'less than a minute';
  return minutes < 120
    ? `about ${plural(minutes, 'minute')}`
    : `about ${plural(Math.round(minutes / 60), 'hour')}`;
}

/** `this text needs 2 credits, and 1 is available`: the need in words, since it may be an estimate. */
export function shortfall(need: string, available: number, what = 'this text'): string {
  return `${what} needs ${need}, and ${count(available)} ${available === 1 ? 'is' : 'are'} available`;
}

/** A moment (ms since 1970) in the reader's own time zone: "today at 14:02". */
export function when(ms: number): string {
  return dateToken(
    ms,
    '{date_short_pretty} at {time}',
    `${iso(ms).slice(0, 10)} ${iso(ms).slice(11, 16)} UTC`,
  );
}

/** The time of day only, for what happened a moment ago: "14:02". */
export function time(ms: number): string {
  return dateToken(ms, '{time}', `${iso(ms).slice(11, 16)} UTC`);
}

function dateToken(ms: number, format: string, fallback: string): string {
  return `<!date^${Math.floor(ms / 1000)}^${format}|${fallback}>`;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** `@ana`, by user id; the command on the server is "the operator". */
export function mention(userId: string): string {
  return userId === OPERATOR ? 'the operator' : `<@${userId}>`;
}

/** Some people: `@ana, @ben and 3 more`. */
export function mentions(userIds: readonly string[]): string {
  const shown = userIds.slice(0, MOST_MENTIONED).map(mention).join(', ');
  const more = userIds.length - MOST_MENTIONED;
  return more > 0 ? `${shown} and ${count(more)} more` : shown;
}

/** Without `verbatim` Slack would make links of whatever looks like one, also in people's names. */
function mrkdwn(text: string): MrkdwnElement {
  return { type: 'mrkdwn', text, verbatim: true };
}

/** Shown as it is: no formatting, no emoji from shortcodes. */
export function plain(text: string): PlainTextElement {
  return { type: 'plain_text', text, emoji: false };
}

export function section(text: string, accessory?: Button): SectionBlock {
  return { type: 'section', text: mrkdwn(text), ...(accessory && { accessory }) };
}

/** Facts side by side, each below its name: at most 10 (docs.slack.dev/reference/block-kit/blocks/section-block). */
export function facts(named: [name: string, value: string][]): SectionBlock {
  return { type: 'section', fields: named.map(([name, value]) => mrkdwn(`*${name}*\n${value}`)) };
}

export function context(text: string): ContextBlock {
  return { type: 'context', elements: [mrkdwn(text)] };
}

/** What a person or the service wrote, exactly as written: nothing in it is formatted, linked or a mention. */
export function typed(text: string): RichTextBlock {
  const shown = cut(text, TYPED_MAX) || ' ';
  return {
    type: 'rich_text',
    elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text: shown }] }],
  };
}

/** A button; without a value it carries none. */
export function button(action: string, label: string, value?: string, style?: 'primary' | 'danger'): Button {
  return {
    type: 'button',
    action_id: action,
    text: plain(label),
    ...(value === undefined ? {} : { value }),
    ...(style && { style }),
  };
}

/**
 * The button, which asks before it acts:
 * docs.slack.dev/reference/block-kit/composition-objects/confirmation-dialog-object.
 */
export function asking(
  asked: Button,
  { title, text, yes, no }: { title: string; text: string; yes: string; no: string },
): Button {
  return {
    ...asked,
    confirm: { title: plain(title), text: plain(text), confirm: plain(yes), deny: plain(no) },
  };
}

/** A row of buttons with different actions: Slack refuses the same action twice in a row. */
export function buttons(...elements: Button[]): ActionsBlock {
  return { type: 'actions', elements };
}

/** A message whose first block says what its `text` says. */
export function message(text: string, ...more: KnownBlock[]): Message {
  return { text, blocks: [section(text), ...more] };
}
