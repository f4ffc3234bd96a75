// @ts-check

import { buttonTo, h } from './dom.js';
import { s } from './svg.js';

/** Paths on a field of 24 × 24. */
const ICONS = {
  hash: ['M9 4 7 20', 'M17 4l-2 16', 'M4 9h16', 'M3.5 15h16'],
  lock: ['M7 11V8a5 5 0 0 1 10 0v3', 'M5.5 11h13v9h-13z'],
  person: ['M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Z', 'M4.5 20c1-4 4-5.5 7.5-5.5s6.5 1.5 7.5 5.5'],
  eye: [
    'M2.5 12s3.5-6.5 9.5-6.5 9.5 6.5 9.5 6.5-3.5 6.5-9.5 6.5S2.5 12 2.5 12Z',
    'M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6Z',
  ],
  check: ['m5 12.5 4.5 4.5L19 7.5'],
  copy: ['M9 9h11v11H9z', 'M5 15H4V4h11v1'],
  send: ['M4 12h15', 'm13 6 6 6-6 6'],
  bolt: ['M13 3 5 13.5h6L10 21l9-11h-6.5z'],
  clip: ['m19 11-7.5 7.5a4.6 4.6 0 0 1-6.5-6.5L13 4a3 3 0 0 1 4.3 4.3l-8 8a1.4 1.4 0 0 1-2-2L14 7.5'],
  close: ['M6 6l12 12', 'M18 6 6 18'],
  phone: [
    'M7 3h10a1.5 1.5 0 0 1 1.5 1.5v15A1.5 1.5 0 0 1 17 21H7a1.5 1.5 0 0 1-1.5-1.5v-15A1.5 1.5 0 0 1 7 3Z',
    'M10.5 18h3',
  ],
  dial: ['M4 17a8 8 0 1 1 16 0', 'm12 17 4-5'],
  message: ['M4 5h16v11H10l-4.5 4v-4H4z'],
  more: ['M5 12h.01', 'M12 12h.01', 'M19 12h.01'],
  warning: ['M12 4 2.5 20h19z', 'M12 10v4.5', 'M12 17.5h.01'],
  stop: ['M8.5 3h7L21 8.5v7L15.5 21h-7L3 15.5v-7z', 'M8 12h8'],
  down: ['M12 5v14', 'm6 13 6 6 6-6'],
  file: ['M6 3h8l4.5 4.5V21H6z', 'M14 3v5h4.5', 'M9 13h6', 'M9 16.5h6'],
  upload: ['M12 16V4.5', 'm7 9 5-5 5 5', 'M4.5 15.5V20h15v-4.5'],
  key: ['M8.5 18a4 4 0 1 0 0-8 4 4 0 0 0 0 8Z', 'm11.5 11.5 8-8', 'm16 7 3 3'],
};

/** @typedef {keyof typeof ICONS} IconName */

/**
 * An icon. Without `label`, screen readers skip it: the words beside it say the same.
 * @param {IconName} name
 * @param {string} [label]
 */
export function icon(name, label) {
  const said = label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': 'true' };
  const strokes = ICONS[name].map((d) => s('path', { d }));
  return s('svg', { viewBox: '0 0 24 24', class: `icon icon-${name}`, ...said }, ...strokes);
}

/** The bot's picture: the page's own icon. */
export const mark = () => h('img.mark', { src: '/page/icon.svg', alt: '' });

/** A button that closes something. @param {string} name @param {() => void} close */
export const cross = (name, close) => buttonTo(close, { class: 'cross', 'aria-label': name }, icon('close'));
