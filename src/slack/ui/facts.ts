import type { SectionBlock } from '@slack/types';
import { mrkdwn } from './blocks.ts';

/** A figure or word with its name; without a value it is not shown. */
export type Fact = [name: string, value: string | undefined];

/** Facts side by side, each below its name: at most 10 (docs.slack.dev/reference/block-kit/blocks/section-block). */
export function facts(named: Fact[]): SectionBlock {
  const shown = named.filter(([, value]) => value !== undefined);
  return { type: 'section', fields: shown.map(([name, value]) => mrkdwn(`*${name}*\n${value}`)) };
}

/** The same as lines, for a message's `text`. */
export function factLines(named: Fact[]): string[] {
  return named.filter(([, value]) => value !== undefined).map(([name, value]) => `${name}: ${value}`);
}
