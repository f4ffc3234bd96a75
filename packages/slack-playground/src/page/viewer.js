// @ts-check
import { readCsv } from './csv.js';
import { buttonTo, h } from './dom.js';
import { addressOf, downloadLink, kindOf, sizeOf } from './files.js';
import { cross } from './icons.js';

/** @import { FileInfo } from '../types.ts' */

/** How much of a file the page shows: rows below the first, and characters. */
const MOST_ROWS = 100;
const MOST_CHARACTERS = 100_000;

/** A CSV file as a table whose first row names the columns. @param {string} text @param {string} name */
function table(text, name) {
  const { rows, more } = readCsv(text, MOST_ROWS + 1);
  const [first = [], ...others] = rows;
  const width = Math.max(...rows.map((row) => row.length), 0);
  const cells = (/** @type {string[]} */ row, /** @type {string} */ tag, props = {}) =>
    h(
      'tr',
      Array.from({ length: width }, (_, at) => h(row[at] === undefined ? 'td' : tag, props, row[at] ?? '')),
    );
  const shown = h(
    'table',
    h('caption.unseen', name),
    h('thead', cells(first, 'th', { scope: 'col' })),
    h(
      'tbody',
      others.map((row) => cells(row, 'td')),
    ),
  );
  return { shown, note: more ? `These are the first ${MOST_ROWS} rows.` : rowsSaid(others.length) };
}

/** @param {number} count */
const rowsSaid = (count) => `${count} row${count === 1 ? '' : 's'}`;

/** @param {string} text */
function plain(text) {
  const more = text.length > MOST_CHARACTERS;
  const shown = h('pre', more ? text.slice(0, MOST_CHARACTERS) : text);
  return { shown, note: more ? 'This is how it begins.' : '' };
}

/** The text of a file; undefined if the page can't load it. @param {string} address */
async function textAt(address) {
  try {
    const response = await fetch(address);
    return response.ok ? await response.text() : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Makes a function that shows a file on top of everything: CSV as a table, other text unchanged.
 * @param {any} dialog
 */
export function createViewer(dialog) {
  const title = h('h2', { id: 'viewer-title' });
  const about = h('p.file-about');
  const close = () => dialog.close();
  /** The file that was opened last. @type {FileInfo | undefined} */
  let open;
  const content = h('div.viewer-content', { role: 'region', tabindex: '0' });
  const note = h('p.viewer-note', { role: 'status' });
  const foot = h('div.modal-foot');
  dialog.replaceChildren(h('div.modal-head', title, about, cross('Close', close)), content, foot);
  dialog.addEventListener('close', () => {
    open = undefined;
    content.replaceChildren();
  });

  /** @param {FileInfo} file @param {string} text */
  const drawn = (file, text) => (/^[ct]sv$/.test(file.filetype) ? table(text, file.name) : plain(text));

  /** @param {FileInfo} file @param {string} as Who is looking. */
  return async function view(file, as) {
    open = file;
    title.textContent = file.title;
    about.textContent = `${kindOf(file)} · ${sizeOf(file.size)}`;
    content.setAttribute('aria-label', `What is in ${file.name}`);
    note.textContent = 'One moment, please …';
    const done = buttonTo(close, { class: 'button primary' }, 'Close');
    foot.replaceChildren(note, downloadLink(file, as), done);
    dialog.showModal();
    content.focus();
    const text = await textAt(addressOf(file, as));
    if (open !== file) return;
    if (text === undefined) {
      note.textContent = 'This file can’t be shown: it is gone, or you may not see it.';
      return;
    }
    const { shown, note: said } = drawn(file, text);
    content.replaceChildren(shown);
    note.textContent = said;
  };
}
