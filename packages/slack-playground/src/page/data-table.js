// @ts-check
import { buttonTo, h } from './dom.js';
import { richText } from './rich-text.js';

/** How many rows a page has if the block has no `page_size`. */
const USUAL_PAGE = 5;
/** A table with more columns has no room on a phone: each row then takes several lines, with the columns' names. */
const MOST_BESIDE = 4;

/** @param {any} cell */
const wordsOf = (cell) => (cell.type === 'rich_text' ? JSON.stringify(cell.elements) : cell.text);

/** @param {any} a @param {any} b */
function compare(a, b) {
  if (a.type === 'raw_number' && b.type === 'raw_number') return a.value - b.value;
  return wordsOf(a).localeCompare(wordsOf(b), 'en', { numeric: true });
}

/**
 * A data_table with sorting and pages. `drafts` keeps its order and its page while the block stays.
 * Source: docs.slack.dev/reference/block-kit/blocks/data-table-block.
 * @param {any} block @param {import('./elements.js').Surface} surface
 */
export function dataTable(block, { names, drafts }) {
  const { caption, page_size: size = USUAL_PAGE, row_header_column_index: header = 0 } = block;
  const [head, ...rows] = /** @type {any[][]} */ (block.rows);
  const key = `${block.block_id}\ntable`;
  /** @type {{ page: number, column: number, down: boolean }} */
  const at = drafts.get(key) ?? { page: 0, column: -1, down: false };
  // The app may have removed the column.
  if (at.column >= (head ?? []).length) Object.assign(at, { column: -1, down: false });
  const pages = Math.ceil(rows.length / size);
  const isNumber = (/** @type {number} */ column) => rows.every((row) => row[column].type === 'raw_number');
  const flows = (head ?? []).length > MOST_BESIDE;
  // CSS draws such a table in lines. The roles keep it a table for screen readers.
  const role = (/** @type {string} */ name) => (flows ? name : undefined);

  const tbody = h('tbody', { role: role('rowgroup') });
  const where = h('p.pager-where', { role: 'status' });
  const step = (/** @type {string} */ name, /** @type {number} */ by) =>
    buttonTo(() => go(at.page + by), { class: 'button small', 'data-spot': `${key}\n${name}` }, name);
  const before = step('Previous', -1);
  const after = step('Next', 1);
  const columns = (head ?? []).map((cell, column) =>
    h(
      'th',
      { scope: 'col', role: role('columnheader'), class: isNumber(column) ? 'number' : undefined },
      buttonTo(
        () => sort(column),
        { class: 'sorter', 'data-spot': `${key}\n${column}` },
        wordsOf(cell),
        h('span.sort-sign', { 'aria-hidden': 'true' }),
      ),
    ),
  );

  /** @param {any[]} row */
  const line = (row) =>
    h(
      'tr',
      { role: role('row') },
      row.map((cell, column) =>
        h(
          column === header ? 'th' : 'td',
          {
            scope: column === header ? 'row' : undefined,
            role: role(column === header ? 'rowheader' : 'cell'),
            class: isNumber(column) ? 'number' : undefined,
            'data-name': flows && head?.[column] ? wordsOf(head[column]) : undefined,
          },
          cell.type === 'rich_text' ? richText(cell, names) : cell.text,
        ),
      ),
    );

  /** @param {number} page */
  function go(page) {
    at.page = page;
    draw();
  }

  /** @param {number} column */
  function sort(column) {
    at.down = at.column === column && !at.down;
    at.column = column;
    at.page = 0;
    draw();
  }

  function draw() {
    drafts.set(key, at);
    at.page = Math.max(0, Math.min(at.page, pages - 1));
    const sorted = at.column < 0 ? rows : rows.toSorted((a, b) => compare(a[at.column], b[at.column]));
    if (at.down) sorted.reverse();
    const first = at.page * size;
    const shown = sorted.slice(first, first + size);
    tbody.replaceChildren(...shown.map(line));
    where.textContent = `${first + 1}–${first + shown.length} of ${rows.length}`;
    // A button with `disabled` would lose the focus.
    before.setAttribute('aria-disabled', String(at.page === 0));
    after.setAttribute('aria-disabled', String(at.page === pages - 1));
    for (const [column, cell] of columns.entries()) {
      cell.ariaSort = column !== at.column ? null : at.down ? 'descending' : 'ascending';
    }
  }

  draw();
  const table = h(
    'table',
    { role: role('table') },
    h('caption', h('span', caption)),
    h('thead', { role: role('rowgroup') }, h('tr', { role: role('row') }, columns)),
    tbody,
  );
  return h(
    'div.data-table',
    h(
      'div',
      {
        class: flows ? 'data-rows flows' : 'data-rows',
        tabindex: '0',
        role: 'region',
        'aria-label': caption,
      },
      table,
    ),
    pages > 1 && h('div.pager', before, where, after),
  );
}
