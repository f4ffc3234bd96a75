import fc from 'fast-check';
import { getCountries, getExampleNumber } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { describe, expect, it } from 'vitest';
import { readNumberCell } from '../../../src/core/lists/number-cell.ts';
import { inWords } from '../../../src/core/lists/row-words.ts';
import { readNumber } from '../../../src/core/texts/phone.ts';
import { ROW_WORDS } from '../../../src/slack/ui/lists/words-in-files.ts';

const LONDON = '+442079460958';

describe('a cell that holds a number', () => {
  it.each([
    '+44 20 7946 0958',
    '442079460958',
    '00442079460958',
    '="+442079460958"',
    '="442079460958"',
    '="+44 20 7946 0958"',
    '=+442079460958',
    "'+442079460958",
    "'442079460958",
    '’+442079460958',
    '"+442079460958"',
    '“+442079460958”',
    '442079460958.0',
    '442079460958.00',
    '442079460958,0',
    '4.42079460958E+11',
    '4,42079460958E+11',
    '4.42079460958e11',
    '4.420794609580E+11',
    '442,079,460,958',
    '442.079.460.958',
    '\u00A0+44 20 7946 0958\u200B ',
    '\u202A+442079460958\u202C',
  ])('%j', (cell) => {
    expect(readNumberCell(cell, undefined)).toMatchObject({ kind: 'number', e164: LONDON });
  });

  it.each([
    ['020 7946 0958', 'GB', LONDON],
    ['2079460958', 'GB', LONDON],
    ['442079460958', 'GB', LONDON],
    ['4915123456789', 'DE', '+4915123456789'],
    ['+1 202-555-0143', 'DE', '+12025550143'],
    ['2025550143', 'US', '+12025550143'],
    ['12025550143', 'US', '+12025550143'],
  ] as const)('%j in %s is %s', (cell, country, e164) => {
    expect(readNumberCell(cell, country)).toMatchObject({ kind: 'number', e164 });
  });

  it('reads a mobile number without its plus as that number, in every country', () => {
    for (const country of getCountries()) {
      const e164 = getExampleNumber(country, examples)?.number ?? '';
      expect(readNumberCell(e164.slice(1), country), country).toMatchObject({ kind: 'number', e164 });
    }
  });
});

describe('a cell that holds none', () => {
  it.each(['', undefined, ' \u200B', "'", '=""'])('%j is blank', (cell) => {
    expect(readNumberCell(cell, undefined)).toEqual({ why: 'blank' });
  });

  it.each([
    ['0812 345', 'no_country_code'],
    ['n/a', 'letters'],
    ['+44 20 7946', 'too_short'],
    ['+44 20 7946 0958 ext 12', 'extension'],
    ['#NAME?', 'spreadsheet_error'],
    ['########', 'spreadsheet_error'],
    ['4.41E+11', 'rounded'],
    ['4,41E+11', 'rounded'],
    ['4.42079E+11', 'rounded'],
    ['4E11', 'rounded'],
    ['7700900123', 'lost_zero'],
    ['2079460958', 'lost_zero'],
    ['1512345678', 'lost_zero'],
  ])('%j: %s', (cell, why) => {
    const fault = { why, cell: `"${cell}"` };
    expect(readNumberCell(cell, undefined)).toEqual(fault);
  });

  it.each(['4.41E+11', '4E11'])('%j was rounded, whatever the default country', (cell) => {
    expect(readNumberCell(cell, 'GB')).toHaveProperty('why', 'rounded');
  });

  it.each(['030 901820', '030901820', '07700900123'])('%j is no number of its country', (cell) => {
    const fault = { why: 'not_in_country', cell: `"${cell}"`, country: 'United Kingdom' };
    expect(readNumberCell(cell, 'GB')).toEqual(fault);
  });

  it('names both readings of an ambiguous number', () => {
    const readings = '+1 312 345 6789 or +86 131 2345 6789';
    const fault = { why: 'ambiguous', cell: '"13123456789"', readings };
    expect(readNumberCell('13123456789', 'CN')).toEqual(fault);
  });

  it.each([
    ['6067515300', 'US', '+16067515300'],
    ['(606) 751-5300', 'US', '+16067515300'],
    ['321 1652113', 'CO', '+573211652113'],
    ['34 97417-4986', 'BR', '+5534974174986'],
  ] as const)(
    '%j in %s is one of that country, since abroad it is no mobile number',
    (cell, country, e164) => {
      expect(readNumberCell(cell, country)).toMatchObject({ kind: 'number', e164 });
      expect(readNumber(cell, country)).toMatchObject({ kind: 'ambiguous' });
    },
  );

  it.each([
    ['4367599153', 'IN'],
    ['278489494', 'AU'],
  ] as const)('%j in %s is a landline there, and not read as a mobile number abroad', (cell, country) => {
    expect(readNumberCell(cell, country)).toHaveProperty('why', 'ambiguous');
  });

  it('never throws, and answers within 130 characters', () => {
    const unit = fc.constantFrom(...'0123456789+-().,eE =\'"#x٤４😀\n\t');
    const cell = fc.oneof(fc.string({ unit, size: 'max', maxLength: 60 }), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(cell, fc.constantFrom(undefined, 'GB' as const, 'DE' as const), (text, country) => {
        const read = readNumberCell(text, country);
        if ('why' in read) expect([...inWords(ROW_WORDS, read)].length).toBeLessThanOrEqual(130);
        else expect(readNumber(read.e164)).toMatchObject({ kind: 'number', e164: read.e164 });
      }),
      { numRuns: 3000 },
    );
  });
});
