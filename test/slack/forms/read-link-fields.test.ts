import { expect, it } from 'vitest';
import { readLinkFields } from '../../../src/slack/forms/read-link-fields.ts';
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
