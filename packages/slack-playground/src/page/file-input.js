// @ts-check
import { buttonTo, h } from './dom.js';
import { fileWords, sizeOf } from './files.js';
import { icon } from './icons.js';

/** @import { FileInfo } from '../types.ts' */

/**
 * The files of a modal's inputs; the server keeps them.
 * @typedef {object} Attachments
 * @property {(block: any, element: any) => readonly FileInfo[]} chosen
 * @property {(use: { block: any, element: any }, files: readonly File[]) => Promise<void>} attach One after the other.
 * @property {(use: { block: any, element: any }, file: FileInfo) => void} detach
 */

/** The size of the largest file that the server takes, in bytes. */
const LARGEST = 10 * 1024 * 1024;

/** `.csv` for `csv`, `CSV` or `.csv`. @param {string} type */
const dotted = (type) => `.${type.toLowerCase().replace(/^\./, '')}`;

/**
 * A file_input: a picker on which people can also drop files, and the files that it has so far.
 * @param {any} element @param {any} block @param {Attachments} files @param {import('./elements.js').Calling} calling
 * @param {string} spot The `data-spot` of the picker.
 */
export function fileInput(element, block, files, calling, spot) {
  const use = { block, element };
  const chosen = files.chosen(block, element);
  /** @type {readonly string[] | undefined} */
  const types = element.filetypes;
  const most = element.max_files ?? 10;
  const full = chosen.length >= most;
  const say = h('span.drop-words');
  const invite = () =>
    say.replaceChildren(chosen.length > 0 ? 'Choose another file' : 'Choose a file', ' or drop it here');
  invite();

  /** @param {File} file */
  const fits = ({ name, size }) =>
    size <= LARGEST && (!types || types.some((one) => name.toLowerCase().endsWith(dotted(one))));

  async function picked() {
    // Files that the server will refuse come last, so that the message about them stays.
    const given = [...input.files].sort((a, b) => Number(fits(b)) - Number(fits(a)));
    // Otherwise choosing the same file again would be no change.
    input.value = '';
    input.setAttribute('aria-busy', 'true');
    say.textContent = `Uploading ${given.map(({ name }) => name).join(', ')} …`;
    await files.attach(use, given);
    input.removeAttribute('aria-busy');
    invite();
  }

  const over = (/** @type {boolean} */ is) => () => area.classList.toggle('over', is);
  const input = h('input', {
    type: 'file',
    id: calling.id,
    'aria-labelledby': `${calling.id}-label`,
    'aria-describedby': calling.describedBy || undefined,
    'aria-invalid': calling.invalid ? 'true' : undefined,
    'data-spot': spot,
    multiple: most > 1,
    accept: types?.map(dotted).join(','),
    on: { change: picked, dragenter: over(true), dragleave: over(false), drop: over(false) },
  });
  const area = h('div.drop', icon('upload'), say, input);

  const row = (/** @type {FileInfo} */ file, /** @type {number} */ at) =>
    h(
      'li.file',
      h('span.file-icon', icon('file')),
      fileWords(file.name, sizeOf(file.size)),
      buttonTo(
        () => files.detach(use, file),
        {
          class: 'button small',
          // A full input has no picker, so its first Remove button gets the focus.
          'data-spot': full && at === 0 ? spot : `${spot}\n${file.id}`,
          'aria-describedby': calling.describedBy || undefined,
        },
        'Remove',
        h('span.unseen', ` ${file.name}`),
      ),
    );
  return h(
    'div.file-input',
    chosen.length > 0 && h('ul.files', { 'aria-label': 'Chosen files' }, chosen.map(row)),
    !full && area,
  );
}
