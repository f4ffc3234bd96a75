import type { SectionBlock } from '@slack/types';
import { mrkdwn } from './blocks.ts';

/** A figure or word with its name; without a value it is not shown. */
export type Fact = [name: string, value: string | undefined];

/** Facts side by side, each below its name: at most 10 (docs.slack.dev/reference/block-kit/blocks/section-block). */
export function facts(named: Fact[]): SectionBlock {
  return { type: 'section', fields: known(named).map(([name, value]) => mrkdwn(`*${name}*\n${value}`)) };
}

/** The same as lines, for a message's `text`. */
export function factLines(named: Fact[]): string[] {
  return known(named).map(([name, value]) => `${name}: ${value}`);
}

/** Those that have a value. */
export function known(named: Fact[]): [name: string, value: string][] {
  return named.filter((fact): fact is [string, string] => fact[1] !== undefined);
}
