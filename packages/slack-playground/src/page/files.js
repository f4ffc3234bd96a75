// @ts-check
import { buttonTo, h } from './dom.js';
import { icon } from './icons.js';

/** @import { FileInfo } from '../types.ts' */

/** People's names of the types whose short name says little. */
const KINDS = { text: 'Plain text', markdown: 'Markdown', binary: 'File' };

/** @param {FileInfo} file */
export const kindOf = ({ filetype }) =>
  /** @type {Record<string, string>} */ (KINDS)[filetype] ?? filetype.toUpperCase();

/** A size as people say it. @param {number} bytes */
export function sizeOf(bytes) {
  if (bytes < 1000) return `${bytes} byte${bytes === 1 ? '' : 's'}`;
  const [amount, unit] = bytes < 1_000_000 ? [bytes / 1000, 'KB'] : [bytes / 1_000_000, 'MB'];
  return `${amount.toLocaleString('en', { maximumFractionDigits: amount < 10 ? 1 : 0 })} ${unit}`;
}

/** The address of a file's bytes, for this person. @param {FileInfo} file @param {string} as */
export const addressOf = ({ id }, as) => `/files/${id}?${new URLSearchParams({ as })}`;

/** The address of a picture, for this person. @param {string} id @param {string} as */
export const pictureOf = (id, as) =>
  `/files/${encodeURIComponent(id)}/picture?${new URLSearchParams({ as })}`;

/** @param {string} name @param {string} about */
export const fileWords = (name, about) =>
  h('span.file-words', h('span.file-name', name), h('span.file-about', about));

/** @param {FileInfo} file */
const isPicture = ({ mimetype }) => /^image\//.test(mimetype);

/** Whether the page can show the file as text. @param {FileInfo} file */
const isReadable = ({ mimetype }) => /^text\/|^application\/json$/.test(mimetype);

/** @param {FileInfo} file @param {string} as @param {string} [style] */
export const downloadLink = (file, as, style = '') =>
  h(
    'a',
    { class: `button ${style}`, href: addressOf(file, as), download: file.name },
    'Download',
    h('span.unseen', ` ${file.name}`),
  );

/**
 * The files of a message, each with its buttons.
 * @param {readonly FileInfo[]} files
 * @param {string} as Who is looking.
 * @param {(file: FileInfo) => void} open
 */
export function fileCards(files, as, open) {
  const card = (/** @type {FileInfo} */ file) =>
    h(
      `li.file${isPicture(file) ? '.with-picture' : ''}`,
      isPicture(file)
        ? h('img.picture', { src: pictureOf(file.id, as), alt: file.alt_txt ?? file.title })
        : h('span.file-icon', icon('file')),
      fileWords(file.title, `${kindOf(file)} · ${sizeOf(file.size)}`),
      h(
        'span.file-buttons',
        isReadable(file) &&
          buttonTo(() => open(file), { class: 'button small' }, 'Open', h('span.unseen', ` ${file.name}`)),
        downloadLink(file, as, 'small'),
      ),
    );
  return h('ul.files', { 'aria-label': 'Files' }, files.map(card));
}
