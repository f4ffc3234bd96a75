import type {
  ActionsBlock,
  Button,
  ContextBlock,
  HeaderBlock,
  KnownBlock,
  MrkdwnElement,
  PlainTextElement,
  RichTextBlock,
  SectionBlock,
  TableBlock,
} from '@slack/types';
import { cut } from './safe-text.ts';
import { count } from './words.ts';

/** What is posted: blocks for the eye, `text` (mrkdwn) for notifications and screen readers. */
export interface Message {
  text: string;
  blocks: KnownBlock[];
}

/** A message, and what comes in its place where Slack does not take its blocks. */
export interface ShownMessage {
  shown: Message;
  plainer?: Message;
}

/** Every message as one that may have a plainer form. */
export function asShown(message: Message | ShownMessage): ShownMessage {
  return 'shown' in message ? message : { shown: message };
}

/** What a rich text element holds: docs.slack.dev/reference/block-kit/blocks/rich-text-block, with room to spare. */
const TYPED_MAX = 2900;

/** Without `verbatim` Slack would make links of whatever looks like one, also in people's names. */
export function mrkdwn(text: string): MrkdwnElement {
  return { type: 'mrkdwn', text, verbatim: true };
}

/** Shown as it is: no formatting, no emoji from shortcodes. */
export function plain(text: string): PlainTextElement {
  return { type: 'plain_text', text, emoji: false };
}

export function section(text: string, accessory?: Button): SectionBlock {
  return { type: 'section', text: mrkdwn(text), ...(accessory && { accessory }) };
}

/**
 * Rows below their header, shown as they are: at most 100, none of their cells empty, and one table a message
 * (docs.slack.dev/reference/block-kit/blocks/table-block). The columns of these names hold figures.
 */
export function table(header: string[], rows: string[][], figures: readonly string[] = []): TableBlock {
  return {
    type: 'table',
    column_settings: header.map((name) =>
      figures.includes(name) ? { align: 'right' } : { is_wrapped: true },
    ),
    rows: [header, ...rows].map((row) => row.map((text) => ({ type: 'raw_text', text }))),
  };
}

export function header(text: string): HeaderBlock {
  return { type: 'header', text: plain(text) };
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

/** A heading with the first of many things, a block each, and how many more there are; nothing if there are none. */
export function listed<T>(
  title: string,
  all: readonly T[],
  most: number,
  blockOf: (one: T) => KnownBlock,
): KnownBlock[] {
  if (all.length === 0) return [];
  const more = all.length - most;
  return [
    header(title),
    ...all.slice(0, most).map(blockOf),
    ...(more > 0 ? [context(`and ${count(more)} more`)] : []),
  ];
}
