import fc from 'fast-check';
import {
  getCountries,
  getCountryCallingCode,
  getExampleNumber,
  isValidPhoneNumber,
} from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { describe, expect, it } from 'vitest';
import { isCountry, type NumberFault, readNumber } from '../../../src/core/texts/phone.ts';
import {
  countryName,
  describeNumber,
  formatNumber,
  maskNumber,
} from '../../../src/core/texts/phone-format.ts';

const LONDON = {
  kind: 'number',
  e164: '+442079460958',
  digits: '442079460958',
  country: 'GB',
  countryName: 'United Kingdom',
};

describe('readNumber, with a plus', () => {
  it.each([
    '+44 20 7946 0958',
    '+442079460958',
    ' +44 20 7946 0958\t',
    '+44-20-7946-0958',
    '+44–20—7946−0958',
    '+44‑20‐7946 0958',
    '+44.20.7946.0958',
    '+44·20·7946·0958',
    '+44/20/79460958',
    '+44 (20) 7946 0958',
    '+44 (0)20 7946 0958',
    '+44 ( 0 ) 20 7946 0958',
    '+44 020 7946 0958',
    '(+44) 20 7946 0958',
    '[+44] 20 7946 0958',
    '( + 44 ) 20 7946 0958',
    '+ 44 20 7946 0958',
    '＋44 20 7946 0958',
    '＋４４（２０）７９４６－０９５８',
    '+44\u00A020\u202F7946\u00A00958',
    '\u202A+44 20 7946 0958\u202C',
    '\u2066+44\u200B 20 7946 0958\u2069\uFEFF',
    '+٤٤ ٢٠ ٧٩٤٦ ٠٩٥٨',
    '+۴۴ ۲۰ ۷۹۴۶ ۰۹۵۸',
    '+४४ २० ७९४६ ०९५८',
    '+𝟒𝟒 𝟐𝟎 𝟕𝟗𝟒𝟔 𝟎𝟗𝟓𝟖',
    'tel:+442079460958',
    'TEL: +44 20 7946 0958',
    '+44 20 7946 0958,',
    '+44 20 7946 0958.',
  ])('%j is the London number', (text) => {
    expect(readNumber(text)).toEqual(LONDON);
    expect(readNumber(text, 'DE')).toEqual(LONDON);
  });

  it.each([
    ['+1 (415) 555-2671', '+14155552671', 'US'],
    ['+49 30 901820', '+4930901820', 'DE'],
    ['+39 (0)2 1234 5678', '+390212345678', 'IT'],
    ['+34 (0)912 345 678', '+34912345678', 'ES'],
    ['+683 4000', '+6834000', 'NU'],
  ])('%j is %s', (text, e164, country) => {
    expect(readNumber(text)).toMatchObject({ kind: 'number', e164, country, digits: e164.slice(1) });
  });

  it('reads a number of no country', () => {
    expect(readNumber('+800 1234 5678')).toEqual({
      kind: 'number',
      e164: '+80012345678',
      digits: '80012345678',
    });
  });

  it.each(['+44 7700 900123', '+1 555 555 5555', '+49 15112'])('warns of no known range for %j', (text) => {
    const read = readNumber(text);
    expect(read).toMatchObject({ kind: 'number', noKnownRange: true });
    expect(read).not.toHaveProperty('added');
  });

  it('names no country if several share the code and the range is not known', () => {
    expect(readNumber('+1 555 555 5555')).not.toHaveProperty('country');
  });
});

describe('readNumber, without a plus', () => {
  it.each(['442079460958', '44 20 7946 0958', '0044 20 7946 0958', '44 (0)20 7946 0958', '٠٠٤٤٢٠٧٩٤٦٠٩٥٨'])(
    '%j is read as international, and the plus is said to be added',
    (text) => {
      expect(readNumber(text)).toEqual({ ...LONDON, added: true });
    },
  );

  it('adds the plus also if the default country reads the same number', () => {
    expect(readNumber('442079460958', 'GB')).toEqual({ ...LONDON, added: true });
    expect(readNumber('0044 20 7946 0958', 'DE')).toEqual({ ...LONDON, added: true });
  });

  it.each([
    ['020 7946 0958', 'GB', '+442079460958'],
    ['(020) 7946-0958', 'GB', '+442079460958'],
    ['2079460958', 'GB', '+442079460958'],
    ['0812 3456 7890', 'ID', '+6281234567890'],
    ['030 901820', 'DE', '+4930901820'],
    ['4155552671', 'US', '+14155552671'],
    ['011 44 20 7946 0958', 'US', '+442079460958'],
  ] as const)('%j in %s is %s', (text, country, e164) => {
    const read = readNumber(text, country);
    expect(read).toMatchObject({ kind: 'number', e164 });
    expect(read).not.toHaveProperty('added');
  });

  it.each([
    ['131 2345 6789', 'CN', ['+13123456789', '+8613123456789']],
    ['321 1234567', 'CO', ['+3211234567', '+573211234567']],
    ['(201) 555-0123', 'US', ['+2015550123', '+12015550123']],
  ] as const)('%j in %s has two readings', (text, country, readings) => {
    const read = readNumber(text, country);
    expect(read).toMatchObject({ kind: 'ambiguous' });
    expect(read.kind === 'ambiguous' && read.readings.map(({ e164 }) => e164)).toEqual(readings);
  });

  it('warns of no known range', () => {
    expect(readNumber('447700900123')).toMatchObject({
      e164: '+447700900123',
      added: true,
      noKnownRange: true,
    });
  });
});

describe('readNumber, a number that its country does not have', () => {
  it.each([
    ['030 901820', 'GB'],
    ['040 123 4567', 'GB'],
    ['07700 900123', 'GB'],
    ['7700 900123', 'GB'],
    ['4915112345', 'GB'],
    ['0171 1234 56789', 'GB'],
    ['030 901 8201', 'US'],
    ['030 901820', 'ES'],
    ['06 30 123 456', 'HU'],
    ['8 029 000 00 00', 'BY'],
    // Written in full, this one would be read as another number.
    ['0 810 000 00 00', 'BY'],
    ['8 999 000 00 0', 'RU'],
  ] as const)('%j in %s is refused, and how to write one of another country is said', (text, country) => {
    expect(readNumber(text, country)).toEqual({ kind: 'problem', code: 'not_in_country', country });
  });

  it.each(['+44 030 901820', '+44 (0)30 901820', '0044 030 901820', '44 030 901820', '+49 0030 901820'])(
    '%j is refused, since the 0 would stay in it',
    (text) => {
      expect(readNumber(text)).toMatchObject({ kind: 'problem' });
      expect(readNumber(text, 'GB')).toMatchObject({ kind: 'problem' });
    },
  );

  it('never comes out as one to send to, in any country, whatever trunk prefix it has', () => {
    const typed = fc.tuple(
      fc.constantFrom('0', '0', '0', '06', '1', '8', '80', '01', ''),
      fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 3, maxLength: 12 }),
    );
    fc.assert(
      fc.property(typed, fc.constantFrom(...getCountries()), ([trunk, rest], country) => {
        const text = trunk + rest;
        const read = readNumber(text, country);
        const numbers = read.kind === 'ambiguous' ? read.readings : read.kind === 'number' ? [read] : [];
        for (const { e164, noKnownRange } of numbers) {
          // A number that begins with a country code is no national number.
          if (text.startsWith('00') || text.startsWith(getCountryCallingCode(country))) continue;
          expect(isValidPhoneNumber(e164), e164).toBe(true);
          expect(noKnownRange).toBeUndefined();
        }
      }),
      { numRuns: 20_000 },
    );
  });

  it('is never written in full with a 0 after its country code', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 3, maxLength: 12 });
    fc.assert(
      fc.property(
        fc.constantFrom('+', '00', ''),
        fc.constantFrom(...getCountries()),
        digits,
        (sign, country, rest) => {
          const code = getCountryCallingCode(country);
          const read = readNumber(`${sign}${code}0${rest}`);
          if (read.kind !== 'number' || isValidPhoneNumber(read.e164)) return;
          expect(read.digits.slice(code.length)).not.toMatch(/^0/);
        },
      ),
      { numRuns: 10_000 },
    );
  });
});

describe('readNumber, if there is no number', () => {
  const table: [string, NumberFault][] = [
    ['', 'empty'],
    ['  \u200B', 'empty'],
    ['tel:', 'empty'],
    ['+', 'characters'],
    ['@@', 'characters'],
    ['hello', 'letters'],
    ['+1 800 FLOWERS', 'letters'],
    ['+44 2O 7946 0958', 'letters'],
    ['+1 415 555 2671 ext 5', 'extension'],
    ['+1 415 555 2671 ext. 512', 'extension'],
    ['+1 415 555 2671 Extension 5', 'extension'],
    ['+1 415 555 2671x5', 'extension'],
    ['+1 415 555 2671 #5', 'extension'],
    ['+1 415 555 2671,,5', 'extension'],
    ['tel:+14155552671;ext=5', 'extension'],
    ['+1 415 555 2671 доб. 5', 'extension'],
    ['020 7946 0958', 'no_country_code'],
    ['0812', 'no_country_code'],
    ['(0)20 7946 0958', 'no_country_code'],
    ['+999 1234 5678', 'unknown_country'],
    ['+0812 3456 789', 'unknown_country'],
    ['+44 20', 'too_short'],
    ['12345', 'too_short'],
    ['7', 'too_short'],
    ['+44 20 7946 0958 1234', 'too_long'],
    [`+${'1'.repeat(300)}`, 'too_long'],
    ['+442079460958, +14155552671', 'several_numbers'],
    ['+442079460958 +14155552671', 'several_numbers'],
    ['+442079460958;14155552671', 'several_numbers'],
    ['+442079460958 and 14155552671', 'several_numbers'],
    ['+442079460958\n+14155552671', 'several_numbers'],
    ['+44 20 (7946 0958', 'characters'],
    ['44+2079460958', 'characters'],
    ['+44 20 7946 0958!', 'characters'],
    ['+44*2079460958', 'characters'],
    ['👍', 'characters'],
  ];
  it.each(table)('%j: %s', (text, code) => {
    expect(readNumber(text)).toMatchObject({ kind: 'problem', code });
  });

  it('judges the length by the default country', () => {
    expect(readNumber('0812', 'ID')).toMatchObject({ code: 'too_short' });
    expect(readNumber('020 7946 0958 123', 'GB')).toMatchObject({ code: 'not_in_country' });
    expect(readNumber('000000', 'DE')).toMatchObject({ kind: 'problem' });
  });
});

describe('readNumber, in general', () => {
  it('reads the example number of every country, both ways it is written', () => {
    for (const country of getCountries()) {
      const example = getExampleNumber(country, examples);
      if (!example) continue;
      expect(readNumber(example.formatInternational()), country).toMatchObject({ e164: example.number });
      const read = readNumber(example.formatNational(), country);
      const numbers = read.kind === 'ambiguous' ? read.readings : [read];
      expect(numbers, country).toContainEqual(expect.objectContaining({ e164: example.number }));
    }
  });

  it('never throws, and what it reads is read again as the same number', () => {
    const typed = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200, size: 'max' }),
      fc.string({ unit: fc.constantFrom(...'0123456789+-. ()/x,;٤０＋\u00A0\u2066'), maxLength: 40 }),
    );
    fc.assert(
      fc.property(typed, fc.constantFrom(undefined, 'GB', 'DE', 'US', 'IT'), (text, country) => {
        const read = readNumber(text, country as 'GB' | undefined);
        const numbers = read.kind === 'ambiguous' ? read.readings : read.kind === 'number' ? [read] : [];
        for (const { e164, digits } of numbers) {
          expect(digits).toMatch(/^[1-9]\d{3,14}$/);
          expect(readNumber(e164)).toMatchObject({ kind: 'number', e164 });
          expect(readNumber(formatNumber(e164))).toMatchObject({ kind: 'number', e164 });
        }
      }),
      { numRuns: 3000 },
    );
  });
});

describe('showing numbers', () => {
  it('groups them and names the country', () => {
    expect(formatNumber('+442079460958')).toBe('+44 20 7946 0958');
    expect(describeNumber(LONDON)).toBe('+44 20 7946 0958 · United Kingdom');
    expect(describeNumber({ e164: '+80012345678' })).toBe('+800 1234 5678');
    expect(formatNumber('no number')).toBe('no number');
    expect(countryName('DE')).toBe('Germany');
  });

  it('masks all but the last four digits', () => {
    expect(maskNumber('+442079460958')).toBe('···0958');
    expect(maskNumber('442079460958')).toBe('···0958');
  });

  it('knows countries by their code', () => {
    expect(isCountry('GB')).toBe(true);
    expect(isCountry('XX')).toBe(false);
    expect(isCountry('gb')).toBe(false);
  });
});
