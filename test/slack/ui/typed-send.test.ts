import { describe, expect, test } from 'vitest';
import { readSend } from '../../../src/core/sends/typed-send.ts';
import { readingMessage } from '../../../src/slack/ui/texts/typed-send.ts';
import { buttonOf, expectFine, labelsOf, wordsOf } from './samples.ts';

function readingOf(typed: string) {
  const read = readSend(typed);
  if (read.kind === 'send') throw new Error('this can be read');
  const message = readingMessage(read);
  expectFine(message);
  return { message, words: wordsOf(message.blocks) };
}
const prefillOf = (message: Parameters<typeof buttonOf>[0]) =>
  JSON.parse(String(buttonOf(message, 'Open the form')?.value));

describe('a command that cannot be read', () => {
  test('without a text opens the form with its number', () => {
    const { message, words } = readingOf('+44 20 7946 0958');
    expect(words).toContain('*+44 20 7946 0958 · United Kingdom*');
    expect(words).toContain('Nothing was sent');
    expect(prefillOf(message)).toEqual({ recipient: '+44 20 7946 0958' });
  });

  test('with a number that has no country code says what was understood', () => {
    const { message, words } = readingOf('0812 hi there');
    expect(words).toContain('No country code');
    expect(words).toMatch(/^0812$/m);
    expect(words).toMatch(/^hi there$/m);
    expect(prefillOf(message)).toEqual({ recipient: '0812', message: 'hi there' });
  });

  test('with two readings shows both, and how to write each exactly', () => {
    const { message, words } = readingOf('+49 30 901820 15 Uhr');
    expect(words).toMatch(/^\/sms send "\+4930901820" 15 Uhr$/m);
    expect(words).toMatch(/^\/sms send "\+493090182015" Uhr$/m);
    expect(labelsOf(message)).toEqual(['Open the form', 'Open the form']);
    for (const typed of words.match(/(?<=^\/sms send ).*$/gm) ?? []) {
      expect(readSend(typed).kind).toBe('send');
    }
  });

  test('with a text that is too long says the count and the limit', () => {
    const { message, words } = readingOf(`+44 20 7946 0958 ${'x'.repeat(1001)}`);
    expect(words).toContain('1,001');
    expect(words).toContain('1,000');
    expect(prefillOf(message).message).toHaveLength(1001);
  });

  test('with a text that no button holds says that the form opens without it, and carries no part of it', () => {
    const { message, words } = readingOf(`+44 20 7946 0958 ${'x'.repeat(5000)}`);
    expect(words).toContain('The form opens without the text, which is too long. Copy the text over.');
    expect(prefillOf(message)).toEqual({ recipient: '+44 20 7946 0958' });
  });

  test('names custom emoji as they are typed', () => {
    expect(readingOf('+44 20 7946 0958 :ourlogo: hi').words).toContain('`:ourlogo:` is a custom emoji');
    const many = Array.from({ length: 900 }, (_, index) => `:logo${index}:`).join(' ');
    expect(readingOf(`+44 20 7946 0958 ${many}`).words).toContain('`:logo0:`, `:logo1:`');
  });
});
