// @ts-check
import { chart } from './chart.js';
import { dataTable } from './data-table.js';
import { h, uniqueId } from './dom.js';
import { choiceIn, picture, renderElement, spotKey, unshown } from './elements.js';
import { plainText, textObject } from './mrkdwn.js';
import { richText } from './rich-text.js';

/** @typedef {import('./elements.js').Surface} Surface */

/** @param {any} block @param {Surface} surface */
function section(block, surface) {
  const id = uniqueId('section');
  const { text, fields, accessory } = block;
  const shown = fields?.map((/** @type {any} */ field) => h('div', {}, textObject(field, surface.names)));
  const label = text?.text ? { labelledBy: id } : {};
  return h(
    'div',
    { class: 'section' },
    h(
      'div',
      { class: 'section-text' },
      text && h('div', { class: 'text', id }, textObject(text, surface.names)),
      shown && h('div', { class: 'fields' }, shown),
    ),
    accessory && h('div', { class: 'accessory' }, renderElement(accessory, block, surface, label)),
  );
}

/** @param {any} block @param {Surface} surface */
function context(block, surface) {
  const parts = block.elements.map((/** @type {any} */ element) =>
    element.type === 'image'
      ? picture(element, 'tiny', surface.state.as)
      : h('span', {}, textObject(element, surface.names)),
  );
  return h('div', { class: 'context' }, parts);
}

const GROUPED = /^(?:checkboxes|radio_buttons|multi_)/;

/** @param {any} block @param {Surface} surface */
function input(block, surface) {
  const id = uniqueId('input');
  const error = surface.errors[block.block_id];
  const describedBy = [block.hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  const grouped = GROUPED.test(block.element.type);
  const label = [
    plainText(block.label),
    block.optional === true && h('span', { class: 'optional' }, ' (optional)'),
  ];
  return h(
    'div',
    { class: error ? 'input has-error' : 'input' },
    grouped
      ? h('p', { class: 'label', id: `${id}-label` }, label)
      : h('label', { class: 'label', for: id, id: `${id}-label` }, label),
    renderElement(block.element, block, surface, {
      id,
      describedBy,
      invalid: error !== undefined,
      ...(grouped && { labelledBy: `${id}-label` }),
    }),
    error && h('p', { class: 'error', id: `${id}-error` }, error),
    block.hint && h('p', { class: 'hint', id: `${id}-hint` }, plainText(block.hint)),
  );
}

/** @param {any} block @param {Surface} surface */
function image(block, surface) {
  return h(
    'figure',
    {},
    block.title && h('figcaption', {}, textObject(block.title, surface.names)),
    picture(block, 'picture', surface.state.as),
  );
}

/** @param {any} block @param {Surface} surface */
function table(block, surface) {
  const rows = block.rows.map((/** @type {any[]} */ row, /** @type {number} */ at) =>
    h(
      'tr',
      {},
      row.map((cell, column) =>
        h(
          at === 0 ? 'th' : 'td',
          {
            scope: at === 0 ? 'col' : undefined,
            class: `align-${block.column_settings?.[column]?.align ?? 'left'}`,
          },
          cell.type === 'rich_text' ? richText(cell, surface.names) : cell.text,
        ),
      ),
    ),
  );
  return h('div', { class: 'table', tabindex: '0' }, h('table', {}, h('tbody', {}, rows)));
}

/** @param {any} block @param {Surface} surface @returns {HTMLElement} */
function body(block, surface) {
  switch (block.type) {
    case 'section':
      return section(block, surface);
    case 'header':
      return h('h3', { class: 'block-header' }, plainText(block.text));
    case 'context':
      return context(block, surface);
    case 'divider':
      return h('hr');
    case 'actions':
      return h(
        'div',
        { class: 'actions' },
        block.elements.map((/** @type {any} */ element) => renderElement(element, block, surface)),
      );
    case 'input':
      return input(block, surface);
    case 'image':
      return image(block, surface);
    case 'rich_text':
      return richText(block, surface.names);
    case 'alert':
      return h('div', { class: `alert ${block.level ?? 'default'}` }, textObject(block.text, surface.names));
    case 'table':
      return table(block, surface);
    case 'data_table':
      return dataTable(block, surface);
    case 'data_visualization':
      return chart(block);
    default:
      return unshown(block, 'block');
  }
}

/**
 * A block of a message or modal. Source: docs.slack.dev/reference/block-kit/blocks. Kinds that the page does not know
 * are named, never left out.
 * @param {any} block @param {Surface} surface
 */
export function renderBlock(block, surface) {
  return h('div', { class: 'block', 'data-block': block.block_id }, body(block, surface));
}

/** What the inputs hold, by block id; files are with the server. @param {readonly any[]} blocks @param {Map<string, any>} drafts */
export function inputValues(blocks, drafts) {
  const inputs = blocks.filter(({ type, element }) => type === 'input' && element.type !== 'file_input');
  return Object.fromEntries(inputs.map((block) => [block.block_id, choiceIn(block, block.element, drafts)]));
}

/** The keys of all inputs in `blocks`. @param {readonly any[]} blocks */
export function inputKeys(blocks) {
  return blocks.filter((block) => block.type === 'input').map((block) => spotKey(block, block.element));
}
