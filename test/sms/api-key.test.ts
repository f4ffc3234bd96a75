import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { ApiKey } from '../../src/sms/api-key.ts';
import { SmsInputError } from '../../src/sms/errors.ts';

function codeOf(text: string): string {
  try {
    ApiKey.from(text);
  } catch (error) {
    if (error instanceof SmsInputError) return error.code;
  }
  return 'accepted';
}

describe('reading', () => {
  test('drops the space around a pasted key', () => {
    expect(ApiKey.from('  abc.DEF-1_2/3+4=\r\n').reveal()).toBe('abc.DEF-1_2/3+4=');
  });

  test.each(['', '   ', '\n'])('%j is empty', (text) => expect(codeOf(text)).toBe('key_empty'));

  test.each(['a b', 'a\nb', 'a\tb', 'a\u0000b', 'a\u200bb', 'ä', 'a\u00a0b', '🔑'])(
    '%j is no key',
    (text) => {
      expect(codeOf(text)).toBe('key_invalid');
    },
  );

  test('the error does not repeat the key', () => {
    expect.assertions(1);
    try {
      ApiKey.from('top secret');
    } catch (error) {
      expect(inspect(error)).not.toMatch(/top|secret'/);
    }
  });
});

describe('showing', () => {
  test.each([
    ['abcdefgha1b2', '…a1b2'],
    ['abcdefga1b2', '…'],
    ['x', '…'],
  ])('the hint of %s is %s', (text, hint) => expect(ApiKey.from(text).hint).toBe(hint));

  test('no way of printing shows any of it', () => {
    const key = ApiKey.from('abcdefgha1b2');
    const shown = [
      `${key}`,
      String(key),
      JSON.stringify({ key }),
      inspect(key, { showHidden: true, depth: 9 }),
      inspect({ nested: [key] }, { showHidden: true, depth: 9 }),
      JSON.stringify(structuredClone(key)),
      JSON.stringify(Object.getOwnPropertyNames(key)),
    ];
    for (const text of shown) expect(text).not.toMatch(/abc|a1b2/);
  });

  test('scrub replaces each occurrence', () => {
    expect(ApiKey.from('abcdefgha1$&').scrub('-abcdefgha1$&-abcdefgha1$&-')).toBe('-…a1$&-…a1$&-');
  });
});
