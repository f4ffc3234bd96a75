import { describe, expect, test } from 'vitest';
import type { NoNumber } from '../../../src/core/sends/typed-send.ts';
import { readMessage } from '../../../src/core/texts/message-text.ts';
import { type NumberProblem, readNumber } from '../../../src/core/texts/phone.ts';
import { outcomeReason, outcomeWord } from '../../../src/slack/ui/lists/words-in-files.ts';
import {
  clientRefusal,
  numberSentence,
  recipientSentence,
  textSentence,
} from '../../../src/slack/ui/texts/typed-problems.ts';

const codes: { [code in Exclude<NumberProblem['code'], 'not_in_country'> | NoNumber['code']]: true } = {
  empty: true,
  letters: true,
  characters: true,
  extension: true,
  several_numbers: true,
  no_country_code: true,
  unknown_country: true,
  too_short: true,
  too_long: true,
  wrong_length: true,
  no_number: true,
  open_quote: true,
};

describe('what is wrong with a number', () => {
  test.each(Object.keys(codes) as (keyof typeof codes)[])('%s: in sentences of 20 words at most', (code) => {
    const sentence = numberSentence({ kind: 'problem', code } as NumberProblem);
    expect(sentence).toMatch(/^[A-Z].*[.]$/);
    for (const one of sentence.split(/[.?] /)) expect(one.split(' ').length).toBeLessThanOrEqual(20);
  });

  test('several numbers: only a text’s recipient leads to a list', () => {
    const several = readNumber('+442079460958, +14155552671') as NumberProblem;
    expect(numberSentence(several)).not.toContain('/sms bulk');
    expect(recipientSentence(several)).toContain('For several people use /sms bulk.');
  });

  test.each([
    [
      '030 901820',
      'GB',
      'This is not a number of the default country (United Kingdom). Write one of another country like +49 30 901820.',
    ],
    [
      '01234 5678',
      'DE',
      'This is not a number of the default country (Germany). Write one of another country like +44 20 7946 0958.',
    ],
  ] as const)(
    '%s in %s: names the country, and shows a number of another one',
    (typed, country, sentence) => {
      expect(numberSentence(readNumber(typed, country) as NumberProblem)).toBe(sentence);
    },
  );
});

test.each([
  ['a'.repeat(1001), 'The message has 1,001 characters; the limit is 1,000. Please shorten it.'],
  [' ', 'The message is empty. Write 1 to 1,000 characters.'],
  [':logo1:', ':logo1: is a custom emoji of this workspace. A text cannot carry it: take it out.'],
  [
    ':logo1: :logo2:',
    ':logo1:, :logo2: are custom emoji of this workspace. A text cannot carry them: take them out.',
  ],
])('a text that cannot be sent: %.20s', (typed, sentence) => {
  const read = readMessage(typed);
  expect(read.kind === 'problem' && textSentence(read)).toBe(sentence);
});

describe('a recipient in the results', () => {
  const e164 = '+442079460958';

  test.each([
    [{ state: 'sent' }, 'sent', ''],
    [{ state: 'sent', otherStatus: 'queued' }, 'status queued', ''],
    [{ state: 'sending' }, 'not finished', ''],
    [{ state: 'rejected', words: 'No such number' }, 'rejected', 'No such number'],
    [{ state: 'rejected', cause: 'group_refused' }, 'rejected', 'refused as a group: refused by the service'],
    [{ state: 'not_sent', cause: 'validation', code: 'text_empty' }, 'not sent', 'the text is empty'],
    [{ state: 'not_sent', cause: 'given_up' }, 'not sent', ''],
    [{ state: 'unknown' }, 'unknown', 'no clear answer'],
    [{ state: 'unknown', verdict: 'probably_sent' }, 'unknown', 'no clear answer; probably sent'],
    [{ state: 'unknown', verdict: 'undecided' }, 'unknown', 'no clear answer'],
    [{ state: 'unknown', saidSentBy: 'U1' }, 'unknown', 'no clear answer; a person said that it arrived'],
  ] as const)('%o', (result, word, reason) => {
    expect([outcomeWord({ e164, ...result }), outcomeReason({ e164, ...result })]).toEqual([word, reason]);
  });
});

test('each code of our own client has words of its own', () => {
  const codes = ['phone_invalid', 'text_empty', 'text_too_long', undefined];
  expect(new Set(codes.map(clientRefusal)).size).toBe(4);
});
