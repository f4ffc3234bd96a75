import { describe, expect, test } from 'vitest';
import { OPERATOR } from '../../../src/core/accounts/instances.ts';
import { typed } from '../../../src/slack/ui/blocks.ts';
import { cut, escaped, oneLine, quoted } from '../../../src/slack/ui/safe-text.ts';
import { count, credits, mention, mentions, span, time, when } from '../../../src/slack/ui/words.ts';
import { AT } from './samples.ts';

describe('figures', () => {
  test('are grouped as in English', () => {
    expect(count(4213)).toBe('4,213');
    expect(credits(1)).toBe('1 credit');
    expect(credits(0)).toBe('0 credits');
    expect(credits(4213)).toBe('4,213 credits');
  });
});

describe('times', () => {
  test('are date tokens with a fallback in UTC', () => {
    expect(when(AT)).toBe('<!date^1772632920^{date_short_pretty} at {time}|2026-03-04 14:02 UTC>');
    expect(time(AT)).toBe('<!date^1772632920^{time}|14:02 UTC>');
  });

  test('of a span within one minute are written once', () => {
    expect(span(AT, AT + 59_999)).toBe(when(AT));
    expect(span(AT, AT + 60_000)).toBe(`between ${when(AT)} and ${when(AT + 60_000)}`);
  });
});

describe('people', () => {
  test('are mentioned by id; somebody at the server’s command is “the operator”', () => {
    expect(mention('U1')).toBe('<@U1>');
    expect(mention(OPERATOR)).toBe('the operator');
  });

  test('are counted if they are too many', () => {
    expect(mentions(['U1', 'U2'])).toBe('<@U1>, <@U2>');
    const thirteen = mentions(Array.from({ length: 13 }, (_, index) => `U${index}`));
    expect(thirteen).toMatch(/^<@U0>, .*<@U9> and 3 more$/);
    expect(thirteen).not.toContain('<@U10>');
  });
});

describe('words that somebody else wrote', () => {
  test('holds no markup of Slack', () => {
    expect(escaped('a & <b> <!channel>')).toBe('a &amp; &lt;b&gt; &lt;!channel&gt;');
    expect(escaped('&lt;')).toBe('&amp;lt;');
  });

  test('calls nobody', () => {
    expect(escaped('@here @Channel @everyone ana@hereford.example')).not.toMatch(
      /@(here|channel|everyone)\b/i,
    );
    expect(escaped('ana@hereford.example')).toBe('ana@hereford.example');
  });

  test('is cut between characters', () => {
    expect(cut('abcdef', 6)).toBe('abcdef');
    expect(cut('abcdefg', 6)).toBe('abcde…');
    expect(cut('abc😀def', 5)).toBe('abc…');
  });

  test('is a name on one line that turns no line round', () => {
    expect(oneLine(' a\n\tb\u202Ec ')).toBe('a bc');
    expect(oneLine('x'.repeat(100))).toBe(`${'x'.repeat(59)}…`);
    expect(quoted('R&D')).toBe('“R&amp;D”');
    expect(quoted('שלום')).toBe('“\u2068שלום\u2069”');
  });

  test('is shown as typed', () => {
    expect(typed('*a*  :smile:\n<!channel>').elements).toEqual([
      { type: 'rich_text_preformatted', elements: [{ type: 'text', text: '*a*  :smile:\n<!channel>' }] },
    ]);
  });
});
