import type * as Slack from '@slack/types';
import { cut } from './safe-text.ts';
import { count, inLines, type Maybe, present } from './words.ts';

/** What is posted: blocks for the eye, `text` (mrkdwn) for notifications and screen readers. */
export interface Message {
  text: string;
  blocks: Slack.KnownBlock[];
}

/** A message, and a plainer one for a Slack that refuses its blocks. */
export interface ShownMessage {
  shown: Message;
  plainer?: Message;
}

export function asShown(message: Message | ShownMessage): ShownMessage {
  return 'shown' in message ? message : { shown: message };
}

/** The longest text of a section: docs.slack.dev/reference/block-kit/blocks/section-block, with room to spare. */
export const SECTION_MAX = 2900;
/** The longest text of a rich text element: docs.slack.dev/reference/block-kit/blocks/rich-text-block, with room to spare. */
const TYPED_MAX = 2900;

/** Without `verbatim`, Slack would turn whatever looks like a link into one, also in people's names. */
export function mrkdwn(text: string): Slack.MrkdwnElement {
  return { type: 'mrkdwn', text, verbatim: true };
}

/** Shown as it is: no formatting, no emoji from shortcodes. */
export function plain(text: string): Slack.PlainTextElement {
  return { type: 'plain_text', text, emoji: false };
}

export function section(text: string, accessory?: Slack.Button): Slack.SectionBlock {
  return { type: 'section', text: mrkdwn(text), ...(accessory && { accessory }) };
}

/**
 * Rows below their header, as plain text. At most 100 rows, no empty cell, and one table a message
 * (docs.slack.dev/reference/block-kit/blocks/table-block). Columns that `figures` names are aligned to the right.
 */
export function table(header: string[], rows: string[][], figures: readonly string[] = []): Slack.TableBlock {
  return {
    type: 'table',
    column_settings: header.map((name) =>
      figures.includes(name) ? { align: 'right' } : { is_wrapped: true },
    ),
    rows: [header, ...rows].map((row) => row.map((text) => ({ type: 'raw_text', text }))),
  };
}

export function header(text: string): Slack.HeaderBlock {
  return { type: 'header', text: plain(text) };
}

export function context(text: string): Slack.ContextBlock {
  return { type: 'context', elements: [mrkdwn(text)] };
}

/** A figure or word with its name. We show no fact without a value. */
export type Fact = [name: string, value: Maybe<string>];

/** As lines, for a message's `text`. */
function factLines(named: [name: string, value: string][]): string {
  return named.map(([name, value]) => `${name}: ${value}`).join('\n');
}

/** The facts that have a value. */
export function known(named: Fact[]): [name: string, value: string][] {
  return named.filter((fact): fact is [string, string] => Boolean(fact[1]));
}

/** Words of a person or the service, exactly as written: Slack formats and links nothing in them. */
export function typed(text: string): Slack.RichTextBlock {
  const shown = cut(text, TYPED_MAX) || ' ';
  return {
    type: 'rich_text',
    elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text: shown }] }],
  };
}

/** The same below its label; nothing without a text. */
export function typedBelow(label: string, text: string | undefined): Slack.KnownBlock[] {
  return text ? [context(label), typed(text)] : [];
}

export function button(
  action: string,
  label: string,
  value?: string,
  style?: 'primary' | 'danger',
): Slack.Button {
  return {
    type: 'button',
    action_id: action,
    text: plain(label),
    ...(value === undefined ? {} : { value }),
    ...(style && { style }),
  };
}

/**
 * The button, which then asks before it acts; `yes`: by default, what the button says.
 * docs.slack.dev/reference/block-kit/composition-objects/confirmation-dialog-object
 */
export function askFirst(
  pressed: Slack.Button,
  { title, text, yes = pressed.text.text, no }: { title: string; text: string; yes?: string; no: string },
): Slack.Button {
  return {
    ...pressed,
    confirm: { title: plain(title), text: plain(text), confirm: plain(yes), deny: plain(no) },
  };
}

/** A row of buttons. Each needs another action: Slack refuses a row that has the same action twice. */
export function buttons(...elements: Maybe<Slack.Button>[]): Slack.ActionsBlock {
  return { type: 'actions', elements: present(...elements) };
}

/** What messages and modals are made of. A string becomes a section; buttons in a row become one block. */
export type Part = Maybe<string | Slack.Button | Slack.KnownBlock>;

/** The parts that are not absent, as blocks. */
export function blocksOf(parts: readonly Part[]): Slack.KnownBlock[] {
  const blocks: Slack.KnownBlock[] = [];
  let row: Slack.Button[] = [];
  for (const part of present(...parts)) {
    if (typeof part !== 'string' && part.type === 'button') {
      if (row.length === 0) blocks.push({ type: 'actions', elements: row });
      row.push(part);
    } else {
      blocks.push(typeof part === 'string' ? section(part) : part);
      row = [];
    }
  }
  return blocks;
}

/** A message whose first block says what its `text` says. */
export function message(text: string, ...more: Part[]): Message {
  return { text, blocks: blocksOf([text, ...more]) };
}

/** The same as small print. */
export function small(text: string): Message {
  return { text, blocks: [context(text)] };
}

/** Facts side by side, at most 10, and as lines in `text` (docs.slack.dev/reference/block-kit/blocks/section-block). */
export function figures(named: Fact[]): Message {
  const facts = known(named);
  const fields = facts.map(([name, value]) => mrkdwn(`*${name}*\n${value}`));
  return { text: factLines(facts), blocks: [{ type: 'section', fields }] };
}

/** The same as a table, in any number. The values are figures. */
export function figuresInTable(columns: [string, string], facts: [name: string, value: string][]): Message {
  return { text: factLines(facts), blocks: [table(columns, facts, [columns[1]])] };
}

/** Messages and parts, in order, as one message. Its `text` has all words; buttons and other blocks add nothing to it. */
export function joined(...parts: (Part | Message)[]): Message {
  const there = present(...parts);
  const words = there.map((one) => (typeof one === 'string' ? one : 'blocks' in one && one.text));
  return {
    text: inLines(...words),
    blocks: blocksOf(there.flatMap((one) => (typeof one === 'object' && 'blocks' in one ? one.blocks : one))),
  };
}

/** A heading, a block for each of the first `most` things, and how many more there are. Empty if there are none. */
export function listed<T>(
  title: string,
  all: readonly T[],
  most: number,
  blockOf: (one: T) => Slack.KnownBlock,
): Slack.KnownBlock[] {
  if (all.length === 0) return [];
  const more = all.length - most;
  return present(
    header(title),
    ...all.slice(0, most).map(blockOf),
    more > 0 && context(`and ${count(more)} more`),
  );
}
