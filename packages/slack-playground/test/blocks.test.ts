import { describe, expect, test } from 'vitest';
import { checkMessageBlocks, checkView } from '../src/blocks/check.ts';
import { inWords } from '../src/blocks/problems.ts';

type Json = Record<string, unknown>;
const x = (length: number) => 'x'.repeat(length);
const plain = (length: number) => ({ type: 'plain_text', text: x(length) });
const mrkdwn = (length: number) => ({ type: 'mrkdwn', text: x(length) });
const section = (fields: Json = {}) => ({ type: 'section', text: mrkdwn(3), ...fields });
const button = (fields: Json = {}) => ({ type: 'button', text: plain(4), action_id: 'go', ...fields });
const actions = (...elements: Json[]) => ({ type: 'actions', elements });
const input = (element: Json, fields: Json = {}) => ({ type: 'input', label: plain(5), element, ...fields });
const typed = (fields: Json = {}) => ({ type: 'plain_text_input', action_id: 'typed', ...fields });
const option = (text: number, fields: Json = {}) => ({ text: plain(text), value: 'v', ...fields });
const options = (count: number) => Array.from({ length: count }, (_, i) => option(3, { value: `v${i}` }));
const select = (fields: Json = {}) => ({
  type: 'static_select',
  action_id: 's',
  options: options(2),
  ...fields,
});
const modal = (fields: Json = {}) => ({
  type: 'modal',
  title: plain(24),
  submit: plain(24),
  close: plain(24),
  blocks: [input(typed())],
  ...fields,
});
const confirm = (title: number, text: number, buttons: number) => ({
  title: plain(title),
  text: mrkdwn(text),
  confirm: plain(buttons),
  deny: plain(buttons),
});
const rows = (count: number, width: number) =>
  Array.from({ length: count }, () => Array.from({ length: width }, () => ({ type: 'raw_text', text: 'a' })));

const inMessage = (...blocks: unknown[]) => checkMessageBlocks(blocks).map(inWords);
const inView = (view: unknown) => checkView(view).map(inWords);
const times = (count: number, block: Json) => Array.from({ length: count }, () => block);

describe('at the limit and one over it', () => {
  const cases: [name: string, fits: Json[], breaks: Json[], path: string][] = [
    ['blocks', times(50, section()), times(51, section()), '/blocks'],
    [
      'section text',
      [section({ text: mrkdwn(3000) })],
      [section({ text: mrkdwn(3001) })],
      '/blocks/0/text/text',
    ],
    [
      'fields',
      [section({ fields: times(10, plain(2)) })],
      [section({ fields: times(11, plain(2)) })],
      '/blocks/0/fields',
    ],
    [
      'field text',
      [section({ fields: [plain(2000)] })],
      [section({ fields: [plain(2001)] })],
      '/blocks/0/fields/0/text',
    ],
    [
      'header',
      [{ type: 'header', text: plain(150) }],
      [{ type: 'header', text: plain(151) }],
      '/blocks/0/text/text',
    ],
    [
      'context elements',
      [{ type: 'context', elements: times(10, mrkdwn(1)) }],
      [{ type: 'context', elements: times(11, mrkdwn(1)) }],
      '/blocks/0/elements',
    ],
    [
      'actions elements',
      [actions(...Array.from({ length: 25 }, (_, i) => button({ action_id: `a${i}` })))],
      [actions(...Array.from({ length: 26 }, (_, i) => button({ action_id: `a${i}` })))],
      '/blocks/0/elements',
    ],
    [
      'button text',
      [actions(button({ text: plain(75) }))],
      [actions(button({ text: plain(76) }))],
      '/blocks/0/elements/0/text/text',
    ],
    [
      'button value',
      [actions(button({ value: x(2000) }))],
      [actions(button({ value: x(2001) }))],
      '/blocks/0/elements/0/value',
    ],
    [
      'accessibility_label',
      [actions(button({ accessibility_label: x(75) }))],
      [actions(button({ accessibility_label: x(76) }))],
      '/blocks/0/elements/0/accessibility_label',
    ],
    [
      'action_id',
      [actions(button({ action_id: x(255) }))],
      [actions(button({ action_id: x(256) }))],
      '/blocks/0/elements/0/action_id',
    ],
    ['block_id', [section({ block_id: x(255) })], [section({ block_id: x(256) })], '/blocks/0/block_id'],
    [
      'label',
      [input(typed(), { label: plain(2000) })],
      [input(typed(), { label: plain(2001) })],
      '/blocks/0/label/text',
    ],
    [
      'hint',
      [input(typed(), { hint: plain(2000) })],
      [input(typed(), { hint: plain(2001) })],
      '/blocks/0/hint/text',
    ],
    [
      'placeholder',
      [input(typed({ placeholder: plain(150) }))],
      [input(typed({ placeholder: plain(151) }))],
      '/blocks/0/element/placeholder/text',
    ],
    [
      'max_length',
      [input(typed({ max_length: 3000 }))],
      [input(typed({ max_length: 3001 }))],
      '/blocks/0/element/max_length',
    ],
    [
      'options',
      [input(select({ options: options(100) }))],
      [input(select({ options: options(101) }))],
      '/blocks/0/element/options',
    ],
    [
      'radio options',
      [input({ type: 'radio_buttons', options: options(10) })],
      [input({ type: 'radio_buttons', options: options(11) })],
      '/blocks/0/element/options',
    ],
    [
      'checkbox options',
      [input({ type: 'checkboxes', options: options(10) })],
      [input({ type: 'checkboxes', options: options(11) })],
      '/blocks/0/element/options',
    ],
    [
      'overflow options',
      [actions({ type: 'overflow', options: options(5) })],
      [actions({ type: 'overflow', options: options(6) })],
      '/blocks/0/elements/0/options',
    ],
    [
      'option text',
      [input(select({ options: [option(75)] }))],
      [input(select({ options: [option(76)] }))],
      '/blocks/0/element/options/0/text/text',
    ],
    [
      'option value',
      [input(select({ options: [option(3, { value: x(75) })] }))],
      [input(select({ options: [option(3, { value: x(76) })] }))],
      '/blocks/0/element/options/0/value',
    ],
    [
      'confirm title',
      [actions(button({ confirm: confirm(100, 300, 30) }))],
      [actions(button({ confirm: confirm(101, 300, 30) }))],
      '/blocks/0/elements/0/confirm/title/text',
    ],
    [
      'confirm text',
      [actions(button({ confirm: confirm(1, 300, 1) }))],
      [actions(button({ confirm: confirm(1, 301, 1) }))],
      '/blocks/0/elements/0/confirm/text/text',
    ],
    [
      'confirm button',
      [actions(button({ confirm: { text: plain(1), deny: plain(30) } }))],
      [actions(button({ confirm: { text: plain(1), deny: plain(31) } }))],
      '/blocks/0/elements/0/confirm/deny/text',
    ],
    [
      'table rows',
      [{ type: 'table', rows: rows(100, 20) }],
      [{ type: 'table', rows: rows(101, 20) }],
      '/blocks/0/rows',
    ],
    [
      'table columns',
      [{ type: 'table', rows: rows(1, 20) }],
      [{ type: 'table', rows: rows(1, 21) }],
      '/blocks/0/rows/0',
    ],
    [
      'data_table rows',
      [{ type: 'data_table', caption: 'c', rows: rows(101, 2) }],
      [{ type: 'data_table', caption: 'c', rows: rows(1, 2) }],
      '/blocks/0/rows',
    ],
  ];
  test.each(cases)('%s', (_, fits, breaks, path) => {
    expect(inMessage(...fits)).toEqual([]);
    expect(inMessage(...breaks)).toEqual([expect.stringContaining(`[json-pointer:${path}]`)]);
  });

  const views: [name: string, fits: Json, breaks: Json, path: string][] = [
    ['title', {}, { title: plain(25) }, '/view/title/text'],
    ['submit', {}, { submit: plain(25) }, '/view/submit/text'],
    ['close', {}, { close: plain(25) }, '/view/close/text'],
    [
      'private_metadata',
      { private_metadata: x(3000) },
      { private_metadata: x(3001) },
      '/view/private_metadata',
    ],
    ['callback_id', { callback_id: x(255) }, { callback_id: x(256) }, '/view/callback_id'],
    ['blocks', { blocks: times(100, section()) }, { blocks: times(101, section()) }, '/view/blocks'],
    [
      'files',
      { blocks: [input({ type: 'file_input', max_files: 10 })] },
      { blocks: [input({ type: 'file_input', max_files: 11 })] },
      '/view/blocks/0/element/max_files',
    ],
  ];
  test.each(views)('view: %s', (_, fits, breaks, path) => {
    expect(inView(modal(fits))).toEqual([]);
    expect(inView(modal(breaks))).toEqual([expect.stringContaining(`[json-pointer:${path}]`)]);
  });
});

describe('in Slack’s words', () => {
  const refused: [block: Json, words: string][] = [
    [section({ text: mrkdwn(0) }), 'must be more than 0 characters [json-pointer:/blocks/0/text/text]'],
    [section({ text: mrkdwn(3001) }), 'must be less than 3001 characters [json-pointer:/blocks/0/text/text]'],
    [{ type: 'sektion' }, 'unsupported type: sektion [json-pointer:/blocks/0/type]'],
    [actions({ type: 'knob' }), 'unsupported type: knob [json-pointer:/blocks/0/elements/0/type]'],
    [{ type: 'header', text: mrkdwn(1) }, 'unsupported type: mrkdwn [json-pointer:/blocks/0/text/type]'],
    [section({ colour: 'red' }), 'invalid additional property: colour [json-pointer:/blocks/0]'],
    [
      section({ text: { ...plain(1), verbatim: true } }),
      'invalid additional property: verbatim [json-pointer:/blocks/0/text]',
    ],
    [
      { type: 'image', image_url: 'https://x.test/a.png' },
      'missing required field: alt_text [json-pointer:/blocks/0]',
    ],
    [
      { type: 'image', alt_text: 'a' },
      'must define either `image_url` or `slack_file` [json-pointer:/blocks/0]',
    ],
    [{ type: 'section' }, 'must define either `text` or `fields` [json-pointer:/blocks/0]'],
    [actions(), 'no fewer than 1 items allowed [json-pointer:/blocks/0/elements]'],
    [actions(button(), button()), 'action_id already exists: go [json-pointer:/blocks/0/elements/1]'],
    [
      actions(button({ style: 'green' })),
      'must be one of: primary, danger [json-pointer:/blocks/0/elements/0/style]',
    ],
    [actions(typed()), 'unsupported type: plain_text_input [json-pointer:/blocks/0/elements/0/type]'],
    [input(button()), 'unsupported type: button [json-pointer:/blocks/0/element/type]'],
    [input({ type: 'file_input' }), 'unsupported type: file_input [json-pointer:/blocks/0/element/type]'],
    [
      input(select({ option_groups: [{ label: plain(1), options: options(1) }] })),
      'must define either `options` or `option_groups` [json-pointer:/blocks/0/element]',
    ],
    [
      input(select({ initial_option: option(9) })),
      'initial_option must be one of the options [json-pointer:/blocks/0/element/initial_option]',
    ],
    [
      { type: 'alert', text: plain(1), level: 'loud' },
      'must be one of: default, info, warning, error, success [json-pointer:/blocks/0/level]',
    ],
    [{ type: 'data_table', rows: rows(2, 2) }, 'missing required field: caption [json-pointer:/blocks/0]'],
    [
      { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [{ type: 'text' }] }] },
      'missing required field: text [json-pointer:/blocks/0/elements/0/elements/0]',
    ],
  ];
  test.each(refused.map(([block, words]) => [words, block] as const))('%s', (words, block) => {
    expect(inMessage(block)).toEqual([words]);
  });

  test('a value that is no list of objects', () => {
    expect(checkMessageBlocks({}).map(inWords)).toEqual(['must provide an array [json-pointer:/blocks]']);
    expect(inMessage('text')).toEqual(['must provide an object [json-pointer:/blocks/0]']);
    expect(inView(undefined)).toHaveLength(1);
  });

  test('twice the same block_id, more than one table, two focused inputs', () => {
    expect(inMessage(section({ block_id: 'a' }), section({ block_id: 'a' }))).toEqual([
      'block_id already exists: a [json-pointer:/blocks/1/block_id]',
    ]);
    expect(inMessage({ type: 'table', rows: rows(1, 1) }, { type: 'table', rows: rows(1, 1) })).toHaveLength(
      1,
    );
    const focused = input(typed({ focus_on_load: true }));
    expect(inView(modal({ blocks: [focused, focused] }))).toHaveLength(1);
  });

  test('the same action_id in two blocks is fine', () => {
    expect(inMessage(actions(button()), actions(button()))).toEqual([]);
  });

  test('a view with inputs needs submit; tables and markdown are for messages', () => {
    const { submit: _, ...without } = modal();
    expect(inView(without)).toEqual(['missing required field: submit [json-pointer:/view]']);
    expect(inView({ ...without, blocks: [section()] })).toEqual([]);
    expect(inView(modal({ blocks: [{ type: 'markdown', text: 'a' }] }))).toHaveLength(1);
    expect(inView(modal({ type: 'home' }))).toEqual(['unsupported type: home [json-pointer:/view/type]']);
  });
});
