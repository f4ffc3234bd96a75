import { describe, expect, test } from 'vitest';
import { numbersInText } from '../../../src/core/texts/numbers-in-text.ts';

const found = (text: string, country?: 'GB' | 'US', most = 20) =>
  numbersInText(text, country, most).map(({ e164 }) => e164);

describe('numbers in a text', () => {
  test.each([
    ['nothing', 'Please stop!', []],
    ['one with words around it', 'Ann (+44 20 7946 0958) said STOP, thanks.', ['+442079460958']],
    [
      'several, each once',
      '+44 20 7946 0958 and +1 212 555 0123, +442079460958',
      ['+442079460958', '+12125550123'],
    ],
    [
      'beside commas, as in a list',
      '+447700900001,Ana\n+447700900002;Ben',
      ['+447700900001', '+447700900002'],
    ],
    ['in lines', '+44 7700 900001\n+44 7700 900002', ['+447700900001', '+447700900002']],
    ['not a price or a time', 'We meet at 14:30, it costs 120.50', []],
    ['not within a word', 'Order AB2079460958X', []],
  ])('%s', (_, text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  test('are read as of the default country', () => {
    expect(found('Call 020 7946 0958', 'GB')).toEqual(['+442079460958']);
    expect(found('Call 020 7946 0958')).toEqual([]);
  });

  test('are at most as many as asked for, and a long text takes no time', () => {
    const text = Array.from(
      { length: 5000 },
      (_, at) => `+44 7700 9${String(at % 1000).padStart(5, '0')}`,
    ).join(', ');
    expect(found(text, undefined, 3)).toHaveLength(3);
    expect(found('1 '.repeat(20_000))).toEqual([]);
  });
});
