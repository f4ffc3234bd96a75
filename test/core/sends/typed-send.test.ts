import fc from 'fast-check';
import { getCountries, getExampleNumber } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { describe, expect, it } from 'vitest';
import { readSend } from '../../../src/core/sends/typed-send.ts';
import { countCharacters, MESSAGE_MAX, readMessage } from '../../../src/core/texts/message-text.ts';
import { formatNumber } from '../../../src/core/texts/phone-format.ts';
import { splitCommand, unwrapSlackText } from '../../../src/slack/requests/command-text.ts';

const LONDON = '+442079460958';

describe('readSend, a number and a text', () => {
  it.each([
    ['+44 20 7946 0958 Hello', LONDON, 'Hello'],
    ['+442079460958 Hello', LONDON, 'Hello'],
    ['442079460958 Hi', LONDON, 'Hi'],
    ['0044 20 7946 0958 Hi', LONDON, 'Hi'],
    ['"+44 20 7946 0958" 15 Uhr', LONDON, '15 Uhr'],
    ['“+44 20 7946 0958” 15 Uhr', LONDON, '15 Uhr'],
    ['„+49 30 901820“ 15 Uhr', '+4930901820', '15 Uhr'],
    ['«+49 30 901820 15» Uhr', '+493090182015', 'Uhr'],
    ["'+49 30 901820' 15 Uhr", '+4930901820', '15 Uhr'],
    ['‘+49 30 901820’ 15 Uhr', '+4930901820', '15 Uhr'],
    ['"+49 30 901820"15 Uhr', '+4930901820', '15 Uhr'],
    ['"+1 415 555 2671" ext 5 is Ana', '+14155552671', 'ext 5 is Ana'],
    ['+1 (415) 555-2671 hi', '+14155552671', 'hi'],
    ['+44 20 7946 0958 15 Uhr', LONDON, '15 Uhr'],
    ['+44 20 7946 0958 "Hello" it’s – me', LONDON, '"Hello" it’s – me'],
    ['+44 20 7946 0958, Hello', LONDON, 'Hello'],
    ['+44 20 7946 0958: Hello', LONDON, 'Hello'],
    ['+44 20 7946 0958 - Hello', LONDON, '- Hello'],
    ['+44 20 7946 0958 (see below)', LONDON, '(see below)'],
    ['+44–20–7946–0958 Hello – there', LONDON, 'Hello – there'],
    ['+44\u00A020\u00A07946\u00A00958\u00A0Hello\u00A0there', LONDON, 'Hello\u00A0there'],
    ['\u2066+44 20 7946 0958\u2069 Hello', LONDON, 'Hello'],
    ['＋４４ ２０ ７９４６ ０９５８ Hello', LONDON, 'Hello'],
    ['(+44) 20 7946 0958 Hello', LONDON, 'Hello'],
    ['+44 (0)20 7946 0958 Hello', LONDON, 'Hello'],
    ['tel:+442079460958 Hello', LONDON, 'Hello'],
    ['+44 20 7946 0958 line one\n\n  line  two\n', LONDON, 'line one\n\n  line  two\n'],
    ['+44 20 7946 0958\n15 Uhr', LONDON, '15 Uhr'],
    ['+49 30 901820\n15 Uhr', '+4930901820', '15 Uhr'],
    ['+44 20 7946 0958 :wave::skin-tone-3: hi:+1:', LONDON, '👋🏼 hi👍'],
    ['+44 20 7946 0958 at 10:30:45', LONDON, 'at 10:30:45'],
    ['+44 20 7946 0958 +1 for that', LONDON, '+1 for that'],
    ['+44 7700 900 123 Hello', '+447700900123', 'Hello'],
    ['+33 6 12 34 56 78 2 pains', '+33612345678', '2 pains'],
  ])('%j', (words, e164, text) => {
    expect(readSend(words)).toMatchObject({ kind: 'send', number: { e164 }, text });
  });

  it.each([
    ['020 7946 0958 Hello', 'GB', LONDON],
    ['442079460958 Hello', 'GB', LONDON],
    ['0812 3456 7890 Hello', 'ID', '+6281234567890'],
  ] as const)('%j in %s', (words, country, e164) => {
    expect(readSend(words, country)).toMatchObject({ kind: 'send', number: { e164 }, text: 'Hello' });
  });

  it('reads text that Slack wrapped', () => {
    const { word, rest } = splitCommand(
      unwrapSlackText('send <tel:+442079460958|+44 20 7946 0958> Hello &amp;lt; &lt;3'),
    );
    expect(word).toBe('send');
    expect(readSend(rest)).toMatchObject({ kind: 'send', number: { e164: LONDON }, text: 'Hello &lt; <3' });
  });

  it('says what was added and what is doubtful', () => {
    expect(readSend('442079460958 Hi')).toMatchObject({
      number: { added: true, countryName: 'United Kingdom' },
    });
    expect(readSend('+1 555 555 5555 Hi')).toMatchObject({
      kind: 'send',
      number: { noKnownRange: true },
    });
  });

  it('reads the example number of every country without a doubt', () => {
    for (const country of getCountries()) {
      const example = getExampleNumber(country, examples);
      if (!example) continue;
      expect(readSend(`${example.formatInternational()} Hello`), country).toMatchObject({
        kind: 'send',
        number: { e164: example.number },
        text: 'Hello',
      });
    }
  });
});

describe('readSend, more than one reading', () => {
  it.each([
    ['+49 30 901820 15 Uhr', undefined, ['+4930901820 15 Uhr', '+493090182015 Uhr']],
    ['+49 30 901820 - 15 Uhr', undefined, ['+4930901820 - 15 Uhr', '+493090182015 Uhr']],
    ['+49 30 901820 15', undefined, ['+4930901820 15', '+493090182015 ']],
    ['030 901820 15 Uhr', 'DE', ['+4930901820 15 Uhr', '+493090182015 Uhr']],
    ['(201) 555-0123 hi', 'US', ['+2015550123 hi', '+12015550123 hi']],
    ['"131 2345 6789" hi', 'CN', ['+13123456789 hi', '+8613123456789 hi']],
  ] as const)('%j', (words, country, expected) => {
    const read = readSend(words, country);
    expect(read.kind).toBe('ambiguous');
    if (read.kind !== 'ambiguous') return;
    expect(read.readings.map(({ number, text }) => `${number.e164} ${text}`)).toEqual(expected);
  });
});

describe('readSend, something missing', () => {
  it.each(['', '   ', '\n', '\u200E '])('%j asks for the form', (words) => {
    expect(readSend(words)).toEqual({ kind: 'empty' });
  });

  it.each(['+44 20 7946 0958', '"+44 20 7946 0958"', '+442079460958,', '+44 20 7946 0958 \u200B\n'])(
    '%j has no text',
    (words) => {
      expect(readSend(words)).toMatchObject({
        kind: 'no_text',
        number: { e164: LONDON },
        given: { number: expect.stringContaining('44') },
      });
    },
  );

  it.each([
    ['Hello', 'no_number', '', 'Hello'],
    ['Hello +442079460958', 'no_number', '', 'Hello +442079460958'],
    ['"Hello" +442079460958', 'no_number', 'Hello', '+442079460958'],
    ['2pm at the shop', 'no_number', '', '2pm at the shop'],
    [
      'name,phone\nAna,+442079460958\nBen,+442079460959',
      'several_numbers',
      '',
      'name,phone\nAna,+442079460958\nBen,+442079460959',
    ],
    [
      'phone,name\n+442079460958,Ana\n+442079460959,Ben',
      'several_numbers',
      '',
      'phone,name\n+442079460958,Ana\n+442079460959,Ben',
    ],
    ['+44 20 7946 O958 hello', 'letters', '+44 20 7946 O958', 'hello'],
    ['+44 2O 7946 0958 hello', 'letters', '+44 2O 7946 0958', 'hello'],
    ['+44 20 7946 095l hello', 'letters', '+44 20 7946 095l', 'hello'],
    ['"+44 20 7946 0958 Hello', 'open_quote', '', '"+44 20 7946 0958 Hello'],
    ['"" Hello', 'empty', '', 'Hello'],
    ['0812 hi', 'no_country_code', '0812', 'hi'],
    ['020 7946 0958 hi', 'no_country_code', '020 7946 0958', 'hi'],
    ['+44 20 79 see you', 'too_short', '+44 20 79', 'see you'],
    ['12 hi', 'too_short', '12', 'hi'],
    ['+4420794609581234 hi', 'too_long', '+4420794609581234', 'hi'],
    ['+999 12345678 hi', 'unknown_country', '+999 12345678', 'hi'],
    ['+1-800-FLOWERS hi', 'letters', '+1-800-FLOWERS', 'hi'],
    ['0812abc hi', 'letters', '0812abc', 'hi'],
    ['+1 415 555 2671 ext 5 hi', 'extension', '+1 415 555 2671', 'ext 5 hi'],
    ['+1 415 555 2671 x5', 'extension', '+1 415 555 2671', 'x5'],
    ['+1 415 555 2671x5 hi', 'extension', '+1 415 555 2671x5', 'hi'],
    ['"+1 415 555 2671 ext 5" hi', 'extension', '+1 415 555 2671 ext 5', 'hi'],
    ['+442079460958,+14155552671 hi', 'several_numbers', '+442079460958,+14155552671', 'hi'],
    ['+442079460958, +14155552671 hi', 'several_numbers', '+442079460958,', '+14155552671 hi'],
    ['+442079460958 +14155552671 hi', 'several_numbers', '+442079460958', '+14155552671 hi'],
    ['+442079460958 and +14155552671 hi', 'several_numbers', '+442079460958', 'and +14155552671 hi'],
  ])('%j: %s', (words, code, number, text) => {
    expect(readSend(words)).toMatchObject({
      kind: 'problem',
      field: 'number',
      problem: { code },
      given: { number, text },
    });
  });
});

describe('readSend, a number that the default country does not have', () => {
  it.each([
    ['030 901820 Berlin', 'GB', '030 901820', 'Berlin'],
    ['"030 901820" Berlin', 'GB', '030 901820', 'Berlin'],
    ['8 999 000 00 0 hi', 'RU', '8 999 000 00 0', 'hi'],
  ] as const)('%j in %s is refused, and taken apart for the form', (words, country, number, text) => {
    expect(readSend(words, country)).toMatchObject({
      kind: 'problem',
      field: 'number',
      problem: { code: 'not_in_country' },
      given: { number, text },
    });
  });
});

describe('readSend, texts that cannot be sent', () => {
  it('takes 1000 characters, counted in code points after emoji are put in', () => {
    for (const text of ['a'.repeat(1000), '😀'.repeat(1000), `${'a'.repeat(999)}:tada:`]) {
      const read = readSend(`+44 20 7946 0958 ${text}`);
      expect(read.kind === 'send' && countCharacters(read.text)).toBe(MESSAGE_MAX);
    }
  });

  it('refuses 1001 with the count and the limit', () => {
    expect(readSend(`+44 20 7946 0958 ${'a'.repeat(1001)}`)).toMatchObject({
      kind: 'problem',
      field: 'text',
      number: { e164: LONDON },
      problem: {
        code: 'too_long',
        characters: 1001,
        limit: 1000,
      },
    });
  });

  it('names custom emoji', () => {
    const one = readSend('+44 20 7946 0958 hi :partyparrot: :tada:');
    expect(one).toMatchObject({ field: 'text', problem: { code: 'custom_emoji', names: ['partyparrot'] } });
    expect(readMessage(':logo1: :logo2:')).toMatchObject({ names: ['logo1', 'logo2'] });
  });

  it('refuses a text without anything to see', () => {
    for (const text of ['', '  \n', '\u200B\u2060', '\uFE0F', '\u3164 \uFFA0', '\u2800', '\u0000'])
      expect(readMessage(text)).toMatchObject({ code: 'empty' });
  });
});

describe('readSend, whatever is typed', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '+44 20 7946 0958',
      '+49 30 901820',
      '15',
      '0812',
      '"',
      '“',
      '”',
      ' ',
      '\n',
      '\u00A0',
      ':tada:',
      ',',
    ),
    fc.constantFrom('+', '(', ')', '-', 'ext 5', 'Hello', '\u2066', '٤', '442079460958', ':x1:', 'tel:'),
    fc.string({ unit: 'binary', maxLength: 8 }),
  );
  const words = fc.array(piece, { maxLength: 12, size: 'max' }).map((pieces) => pieces.join(''));
  const country = fc.constantFrom(undefined, 'GB', 'DE', 'US') as fc.Arbitrary<'GB' | undefined>;

  it('never throws, and the text is the end of what was typed', () => {
    fc.assert(
      fc.property(words, country, (typed, defaultCountry) => {
        const read = readSend(typed, defaultCountry);
        if (read.kind === 'empty') return;
        expect(typed.endsWith(read.given.text)).toBe(true);
        expect(typed).toContain(read.given.number);
        if (read.kind === 'ambiguous') {
          expect(read.readings.length).toBeGreaterThan(1);
          for (const { text } of read.readings) expect(typed.endsWith(text)).toBe(true);
        }
        if (read.kind === 'send') {
          expect(readMessage(read.given.text)).toEqual({ kind: 'text', text: read.text });
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('reads a quoted valid number exactly, whatever follows', () => {
    const numbers = getCountries().flatMap((each) => getExampleNumber(each, examples)?.number ?? []);
    fc.assert(
      fc.property(
        fc.constantFrom(...numbers),
        fc.constantFrom('""', '“”', '„“', '‘’'),
        words,
        (e164, quotes, text) => {
          const read = readSend(`${quotes[0]}${formatNumber(e164)}${quotes[1]} ${text}`);
          expect(read).toMatchObject({ number: { e164 }, given: { text: text.trimStart() } });
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('sends to the number that was typed, never to a part of its digits', () => {
    const numbers = getCountries().flatMap((each) => getExampleNumber(each, examples)?.number ?? []);
    fc.assert(
      fc.property(fc.constantFrom(...numbers), fc.lorem({ mode: 'sentences' }), (e164, text) => {
        expect(readSend(`${formatNumber(e164)} ${text}`)).toMatchObject({
          kind: 'send',
          number: { e164 },
          text,
        });
      }),
    );
  });
});
