// @ts-check
import { chart } from './chart.js';
import { dataTable } from './data-table.js';
import { h, keyed, uniqueId } from './dom.js';
import { choiceIn, picture, renderElement, spotKey, unshown } from './elements.js';
import { plainText, textObject } from './mrkdwn.js';
import { richText } from './rich-text.js';

/** @import { Surface } from './elements.js' */

/** @param {any} block @param {Surface} surface */
function section(block, surface) {
  const id = uniqueId('section');
  const { text, fields, accessory } = block;
  const shown = fields?.map((/** @type {any} */ field) => h('div', textObject(field, surface.names)));
  const label = text?.text ? { labelledBy: id } : {};
  return h(
    'div.section',
    h(
      'div.section-text',
      text && h('div.text', { id }, textObject(text, surface.names)),
      shown && h('div.fields', shown),
    ),
    accessory && h('div.accessory', renderElement(accessory, block, surface, label)),
  );
}

/** @param {any} block @param {Surface} surface */
function context(block, surface) {
  const parts = block.elements.map((/** @type {any} */ element) =>
    element.type === 'image'
      ? picture(element, 'tiny', surface.state.as)
      : h('span', textObject(element, surface.names)),
  );
  return h('div.context', parts);
}

const GROUPED = /^(?:checkboxes|radio_buttons|multi_)/;

/** @param {any} block @param {Surface} surface */
function input(block, surface) {
  const id = uniqueId('input');
  const error = surface.errors[block.block_id];
  const describedBy = [block.hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  const grouped = GROUPED.test(block.element.type);
  const label = [plainText(block.label), block.optional === true && h('span.optional', ' (optional)')];
  return h(
    `div.input${error ? '.has-error' : ''}`,
    grouped
      ? h('p.label', { id: `${id}-label` }, label)
      : h('label.label', { for: id, id: `${id}-label` }, label),
    renderElement(block.element, block, surface, {
      id,
      describedBy,
      invalid: error !== undefined,
      ...(grouped && { labelledBy: `${id}-label` }),
    }),
    error && h('p.error', { id: `${id}-error` }, error),
    block.hint && h('p.hint', { id: `${id}-hint` }, plainText(block.hint)),
  );
}

/** @param {any} block @param {Surface} surface */
function image(block, surface) {
  return h(
    'figure',
    block.title && h('figcaption', textObject(block.title, surface.names)),
    picture(block, 'picture', surface.state.as),
  );
}

/** @param {any} block @param {Surface} surface */
function table(block, surface) {
  const rows = block.rows.map((/** @type {any[]} */ row, /** @type {number} */ at) =>
    h(
      'tr',
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
  return h(
    'div.table',
    { tabindex: '0', role: 'group', 'aria-label': 'Table' },
    h('table', h('tbody', rows)),
  );
}

/** @param {any} block @param {Surface} surface @returns {HTMLElement} */
function body(block, surface) {
  switch (block.type) {
    case 'section':
      return section(block, surface);
    case 'header':
      return h('h3.block-header', plainText(block.text));
    case 'context':
      return context(block, surface);
    case 'divider':
      return h('hr');
    case 'actions':
      return h(
        'div.actions',
        block.elements.map((/** @type {any} */ element) => renderElement(element, block, surface)),
      );
    case 'input':
      return input(block, surface);
    case 'image':
      return image(block, surface);
    case 'rich_text':
      return richText(block, surface.names);
    case 'alert':
      return h(`div.alert.${block.level ?? 'default'}`, textObject(block.text, surface.names));
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
 * A block of a message, modal or Home. A block of an unknown type shows its type and its JSON.
 * Source: docs.slack.dev/reference/block-kit/blocks.
 * @param {any} block @param {Surface} surface
 */
export function renderBlock(block, surface) {
  return h('div.block', { 'data-block': block.block_id }, body(block, surface));
}

/** What the inputs hold, by block id. The server has the files. @param {readonly any[]} blocks @param {Map<string, any>} drafts */
export function inputValues(blocks, drafts) {
  const inputs = blocks.filter(({ type, element }) => type === 'input' && element.type !== 'file_input');
  return Object.fromEntries(inputs.map((block) => [block.block_id, choiceIn(block, block.element, drafts)]));
}

/** Forgets the choices in blocks that are gone: a later block with the same id begins empty. @param {Map<string, any>} drafts @param {readonly any[]} blocks */
export function prune(drafts, blocks) {
  const there = blocks.map((block) =>
    block.type === 'input' ? spotKey(block, block.element) : block.block_id,
  );
  const still = new Set(there);
  for (const key of drafts.keys()) if (!still.has(key) && !still.has(key.split('\n')[0])) drafts.delete(key);
}

/**
 * Shows `blocks` in `parent`; unchanged blocks keep their nodes. `stamp` returns what else a block shows.
 * @template {{ type: string, block_id: string }} Block
 * @param {Element} parent @param {readonly Block[]} blocks @param {Surface} surface
 * @param {{ key: (block: Block) => string, stamp?: (block: Block) => unknown }} how
 */
export function showBlocks(parent, blocks, surface, { key, stamp = () => undefined }) {
  const { as, people, channels } = surface.state;
  prune(surface.drafts, blocks);
  const around = JSON.stringify([as, people, channels.map(({ id, name }) => [id, name])]);
  keyed(parent, blocks, {
    key,
    stamp: (block) => JSON.stringify([block, stamp(block)]) + around,
    render: (block) => renderBlock(block, surface),
  });
}
