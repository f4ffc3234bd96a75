import { expect, test } from 'vitest';
import { textOf } from '../src/render.ts';
import type { Block } from '../src/types.ts';

const plain = (text: string) => ({ type: 'plain_text', text });
const block = (type: string, fields: object): Block => ({ type, block_id: type, ...fields });

test('blocks read as a person reads them', () => {
  const button = { type: 'button', text: plain('Send') };
  const radio = {
    type: 'radio_buttons',
    options: [{ text: plain('All') }, { text: plain('Some'), description: plain('few') }],
  };
  const rich = {
    type: 'rich_text_section',
    elements: [
      { type: 'text', text: 'hello ' },
      { type: 'emoji', name: 'wave' },
    ],
  };
  const cell = (text: string) => ({ type: 'raw_text', text });
  expect(
    textOf([
      block('header', { text: plain('Title') }),
      block('section', { text: plain('Words'), fields: [plain('one'), plain('two')], accessory: button }),
      block('divider', {}),
      block('context', { elements: [plain('small'), { type: 'image', alt_text: 'a flag' }] }),
      block('actions', { elements: [button, { type: 'button', text: plain('Cancel') }] }),
      block('input', { label: plain('Who'), hint: plain('Choose one'), element: radio }),
      block('image', { title: plain('Map'), alt_text: 'a map' }),
      block('rich_text', { elements: [rich] }),
      block('table', { rows: [[cell('a'), cell('b')]] }),
      block('markdown', { text: '**bold**' }),
      block('alert', { text: plain('Careful') }),
    ]),
  ).toBe(
    [
      'Title',
      'Words',
      'one',
      'two',
      '[Send]',
      '---',
      'small (a flag)',
      '[Send] [Cancel]',
      'Who: [All | Some: few]',
      'Choose one',
      'Map',
      '(a map)',
      'hello :wave:',
      'a | b',
      '**bold**',
      'Careful',
    ].join('\n'),
  );
});

test('a message is its blocks, or its text if it has none', () => {
  const message = { channel: 'C1', ts: '1.000001', user: 'U1', text: 'plain words', blocks: [] };
  expect(textOf(message)).toBe('plain words');
  expect(textOf({ ...message, blocks: [block('header', { text: plain('Title') })] })).toBe('Title');
});
