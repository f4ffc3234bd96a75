import { expect, it } from 'vitest';
import { readKeepDays, readLinkFields } from '../../../src/slack/forms/read-link-fields.ts';
import { FIELDS, NEW_INSTANCE } from '../../../src/slack/ui/ids.ts';

/** Reads the settings form with this top-up link. */
function read(value: string | null) {
  const { topUpUrl } = FIELDS;
  return readLinkFields({ [topUpUrl]: { [topUpUrl]: { type: 'plain_text_input', value } } });
}

it.each([
  ['https://pay.example/credits?for=sales', 'https://pay.example/credits?for=sales'],
  ['  https://Pay.Example ', 'https://pay.example/'],
  ['https://pay.example/<a>"', 'https://pay.example/%3Ca%3E%22'],
])('keeps the top-up link %j', (typed, kept) => {
  expect(read(typed)).toMatchObject({ settings: { topUpUrl: kept }, errors: {} });
});

it.each([null, '', '  '])('without a top-up link (%j) keeps none', (typed) => {
  const { settings, errors } = read(typed);
  expect(settings.topUpUrl).toBeUndefined();
  expect(errors).toEqual({});
});

it.each([
  'http://pay.example/',
  'javascript:alert(1)',
  'data:text/html,x',
  'pay.example',
  'https://',
  'https://bank.example@pay.example/',
  'https://:secret@pay.example/',
  `https://pay.example/${'x'.repeat(481)}`,
  `https://pay.example/${'é'.repeat(200)}`,
])('refuses %j as a top-up link', (typed) => {
  const { settings, errors } = read(typed);
  expect(settings.topUpUrl).toBeUndefined();
  expect(errors).toEqual({
    [FIELDS.topUpUrl]: 'Write a link that begins with https://, of at most 500 characters.',
  });
});

/** Reads the settings form with this threshold. */
function withThreshold(value: string) {
  const { threshold } = FIELDS;
  return readLinkFields({ [threshold]: { [threshold]: { type: 'number_input', value } } });
}

it.each([
  ['', 0],
  ['0', 0],
  [' 250 ', 250],
  ['1,000', 1000],
  ['1.000', 1000],
  ['1 000', 1000],
  ['1\u{202f}000', 1000],
  ['1’000’000', 1_000_000],
])('reads the threshold %j as %d', (typed, credits) => {
  expect(withThreshold(typed)).toMatchObject({ settings: { threshold: credits }, errors: {} });
});

// Read as 15 or as 1005, a warning would come at another time than the admin wanted.
it.each(['1.5', '1,5', '100,5', '1.5000', '1,000.50', '1,000.000', '-1', '1e3', '١٠٠', 'many', '1000000001'])(
  'refuses the threshold %j',
  (typed) => {
    expect(withThreshold(typed).errors).toEqual({
      [FIELDS.threshold]: 'Write a whole number of credits, such as 100. Write 0 for no warnings.',
    });
  },
);

it.each([
  ['', 2000],
  ['30', 30],
  ['1,000', 1000],
])('keeps texts for %j as %d days, of 2,000 at most', (typed, days) => {
  const { keepDays } = FIELDS;
  const values = { [keepDays]: { [keepDays]: { type: 'number_input', value: typed } } };
  expect(readKeepDays(values, 2000)).toEqual({ days, errors: {} });
});

it('a new instance that was submitted before its fields were there is refused at an existing field', () => {
  const { instance } = FIELDS;
  const option = { value: NEW_INSTANCE, text: { type: 'plain_text' as const, text: 'New instance' } };
  const { errors } = readLinkFields({
    [instance]: { choose_instance: { type: 'static_select', selected_option: option } },
  });
  expect(errors).toEqual({
    [instance]: 'The fields for the new key come in a moment. Please fill them in, then press Link.',
  });
});
