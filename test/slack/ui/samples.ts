import type { AnyBlock, HomeView, ModalView } from '@slack/types';
import { checkMessageBlocks, checkView, inWords } from 'slack-playground';
import { expect } from 'vitest';
import type { InstanceView } from '../../../src/core/accounts/instance-view.ts';
import { DEFAULT_SETTINGS, type Link } from '../../../src/core/accounts/links.ts';
import type { BudgetsLeft } from '../../../src/core/budgets/budgets.ts';
import type { UnknownFacts } from '../../../src/core/homes/unknown-facts.ts';
import type { ChunkResult, Evidence } from '../../../src/core/sends/chunk-result.ts';
import type { SendView } from '../../../src/core/sends/send-view.ts';
import { countSegments } from '../../../src/core/texts/segments.ts';
import type { Message } from '../../../src/slack/ui/blocks.ts';

/** 2026-03-04 14:02:00 UTC */
export const AT = Date.UTC(2026, 2, 4, 14, 2);

const UNLIMITED = { used: 0, held: 0, renewsAt: AT };
/** A channel without budgets, in which nobody has used a credit. */
export const NO_BUDGETS: BudgetsLeft = { month: UNLIMITED, day: UNLIMITED };

/** These unknown texts, newest first, and so many of lists. */
export function unknownFacts(texts: readonly SendView[] = [], inJobs = 0): UnknownFacts {
  return {
    newest: texts.slice(0, 5),
    singles: Math.min(texts.length, 100),
    inJobs: Math.min(inJobs, 100),
    areMoreSingles: texts.length > 100,
    areMoreInJobs: inJobs > 100,
  };
}

/** An instance with a key that works. */
export function anInstance(fields: Partial<InstanceView> = {}): InstanceView {
  return {
    team: 'T1',
    id: 'i1',
    name: 'Sales',
    keyHint: '…a1b2',
    accountId: 'https://sms.example/api/v1#1',
    userName: 'Acme',
    addedBy: 'UADMIN',
    lastGoodCheckAt: AT,
    ...fields,
  };
}

/** A link of the channel C1 to that instance, with the default settings. */
export function aLink(fields: Partial<Link> = {}): Link {
  const by = { linkedBy: 'UADMIN', linkedAt: AT };
  return { ...DEFAULT_SETTINGS, team: 'T1', channel: 'C1', instanceId: 'i1', ...by, ...fields };
}

/** A draft of @ana's to a British number, with the text `Hello`. The estimate is one of 999 credits. */
export function aSend(fields: Partial<SendView> = {}, details: Partial<SendView['details']> = {}): SendView {
  const text = fields.text ?? 'Hello';
  return {
    id: 'send-1',
    team: 'T1',
    channel: 'C1',
    instance: 'acme',
    state: 'draft',
    e164: '+442079460958',
    text,
    segments: countSegments(text),
    createdAt: AT,
    expiresAt: AT + 900_000,
    outcome: 'pending',
    ...(fields.evidence && fields.resentAs === undefined && { resendableAt: AT, mayResend: true }),
    ...fields,
    details: {
      by: 'UANA',
      e164: '+442079460958',
      country: 'GB',
      accountId: 'https://sms.example/api/v1#1',
      estimate: { credits: 1, basis: 'documented' },
      balance: 999,
      receiptLine: true,
      ...details,
    },
  };
}

/** The same send. @ana decided at 14:02, and it is settled. */
export function settled(
  outcome: SendView['outcome'],
  result?: ChunkResult,
  fields: Partial<SendView> = {},
): SendView {
  return aSend({
    state: 'finished',
    decidedBy: 'UANA',
    decidedAt: AT,
    outcome,
    ...(result && { result }),
    ...fields,
  });
}

export const ACCEPTED: ChunkResult = {
  cause: 'accepted',
  messageId: 4711,
  creditsUsed: 1,
  creditsRemaining: 119,
};

export function evidence(verdict: Evidence['verdict'], after = 999, messages = 1): Evidence {
  return verdict === 'none' ? { verdict } : { verdict, before: 999, after, messages };
}

/** Difficult strings, as people, files and the service may send them. */
export const NASTY: { [name: string]: string } = {
  'a thousand ampersands': '&'.repeat(1000),
  mentions: '<!channel> <!here> <@UEVIL> <#C99> <!subteam^S1> @here @channel @everyone',
  'mentions, over and over': '<!channel>'.repeat(100),
  formatting: '*bold* _italic_ ~gone~ `code` ```more``` :smile: <https://x.example|y>',
  'line breaks only': '\n\n\n',
  'many lines': 'a\n'.repeat(500),
  'right to left': 'שלום & مرحبا بالعالم',
  'a mark that turns the line': 'abc\u202Edef\u2066ghi',
  emoji: '👩‍👩‍👧‍👦'.repeat(140),
  'a lone surrogate': `\uD83D${'x'.repeat(60)}`,
  long: 'x'.repeat(1000),
  empty: '',
};

export type Loose = { [key: string]: unknown };

/** Every object in a message or view, at any depth. */
export function* objectsIn(value: unknown): Generator<Loose> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Loose;
  for (const part of Object.values(value)) yield* objectsIn(part);
}

/** Text that mrkdwn must not hold, whoever wrote it. */
const LIVE = /<!(?:channel|here|everyone|subteam)|<@UEVIL|@(?:here|channel|everyone)\b/i;

export function expectInert(blocks: unknown): void {
  for (const part of objectsIn(blocks)) {
    if (part.type === 'mrkdwn') {
      expect(part.text).not.toMatch(LIVE);
      expect(part.verbatim).toBe(true);
    }
  }
}

/** Slack takes the message, its `text` alone says something, and nothing in it notifies anybody by accident. */
export function expectFine(message: Message): void {
  expect(checkMessageBlocks(message.blocks).map(inWords)).toEqual([]);
  expect(JSON.stringify(message.blocks).length).toBeLessThan(12_000);
  expect(message.text.trim()).not.toBe('');
  // Slack advises 4,000 characters and cuts at 40,000: docs.slack.dev/reference/methods/chat.postMessage.
  expect(message.text.length).toBeLessThan(12_000);
  expect(message.text).not.toMatch(LIVE);
  expect(message.text).not.toMatch(/undefined|NaN|\[object/);
  expectInert(message.blocks);
}

/** The same rules for a modal. */
export function expectFineView(view: ModalView): void {
  expect(checkView(view).map(inWords)).toEqual([]);
  expectInert(view.blocks);
}

/** The labels of all buttons, and of a modal's submit button. */
export function labelsOf(shown: Message | ModalView | HomeView): string[] {
  const labels = [...objectsIn(shown.blocks)]
    .filter(({ type }) => type === 'button')
    .map(({ text }) => (text as { text: string }).text);
  return 'submit' in shown && shown.submit ? [...labels, shown.submit.text] : labels;
}

export function buttonOf(message: Message, label: string): Loose | undefined {
  return [...objectsIn(message.blocks)].find(
    ({ type, text }) => type === 'button' && (text as { text: string }).text === label,
  );
}

/** The words that people see in all blocks, a block a line. */
export function wordsOf(blocks: readonly AnyBlock[]): string {
  return blocks
    .map((block) =>
      [...objectsIn(block)]
        .map(({ text }) => text)
        .filter((text) => typeof text === 'string')
        .join(' | '),
    )
    .join('\n');
}

/** The input block of a field. */
export function fieldOf(view: ModalView, id: string): Loose | undefined {
  return view.blocks.find((block) => block.block_id === id) as Loose | undefined;
}
