// @ts-check
import { h, uniqueId } from './dom.js';
import { s } from './svg.js';

/** Patterns that tell fills apart without colour, on a field of 8 × 8. */
const STROKES = [
  [],
  ['M-2 2 2-2M0 8 8 0M6 10l4-4'],
  ['M2 2h.01M6 6h.01'],
  ['M0 4h8'],
  ['M4 0v8'],
  ['M0 0l8 8M0 8l8-8'],
];

/** The marks at the points of a line, around 0 0. */
const MARKS = [
  'M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0',
  'M-3.5-3.5h7v7h-7z',
  'M0-5 5 4h-10z',
  'M0-5 5 0 0 5-5 0z',
  'M-5-3.5h10L0 5z',
  'M-4-1.2h2.8V-4h2.4v2.8H4v2.4H1.2V4h-2.4V1.2H-4z',
];
const DASHES = ['', '8 4', '2 4', '10 4 2 4', '4 4', '14 4'];

/** The colours in light and dark mode. */
const COLOURS = [
  ['#0d6b62', '#67d3c2'],
  ['#b3541e', '#f3a871'],
  ['#34508f', '#9db7f5'],
  ['#8a2f62', '#f09ac6'],
  ['#6a6a12', '#d5d36a'],
  ['#4d4a46', '#c9c2b8'],
];

/** Which of the six patterns, marks and colours a part has; the second six parts are paler. @param {number} at */
const shape = (at) => at % 6;

/** Gives `node` the colour of a segment or series. @param {number} at @param {SVGElement} node */
function coloured(at, node) {
  node.style.setProperty('--part', `light-dark(${COLOURS[shape(at)]})`);
  node.classList.toggle('second', at % 12 >= 6);
  return node;
}

/** @param {number} value */
export const said = (value) => value.toLocaleString('en', { maximumFractionDigits: 2 });

/** The value of a series for a category. @param {any} series @param {string} category */
export const valueIn = (series, category) =>
  series.data.find((/** @type {any} */ { label }) => label === category).value;

/** The fills of `count` parts: their definitions, and the `fill` attribute of each. @param {number} count */
export function fills(count) {
  const ids = Array.from({ length: count }, () => uniqueId('fill'));
  const defs = s(
    'defs',
    {},
    ...ids.map((id, at) =>
      coloured(
        at,
        s(
          'pattern',
          { id, width: 8, height: 8, patternUnits: 'userSpaceOnUse' },
          s('rect', { width: 8, height: 8, class: 'part-fill' }),
          ...(STROKES[shape(at)] ?? []).map((d) => s('path', { d, class: 'part-stroke' })),
        ),
      ),
    ),
  );
  return { defs, fill: (/** @type {number} */ at) => `url(#${ids[at]})` };
}

/** @param {number} at @param {number} x @param {number} y */
export const markAt = (at, x, y) =>
  coloured(at, s('path', { d: MARKS[shape(at)], transform: `translate(${x} ${y})`, class: 'part-mark' }));

/** @param {number} at @param {string} d */
export const lineOf = (at, d) =>
  coloured(at, s('path', { d, class: 'part-line', 'stroke-dasharray': DASHES[shape(at)] || undefined }));

/**
 * The name of each part, beside a sample of its look.
 * @param {readonly string[]} names
 * @param {'line' | 'fill'} look
 */
export function legend(names, look) {
  const { defs, fill } = fills(names.length);
  const swatch = (/** @type {number} */ at) =>
    look === 'fill'
      ? [s('rect', { x: 1, y: 1, width: 26, height: 14, rx: 3, fill: fill(at) })]
      : [lineOf(at, 'M0 8h28'), markAt(at, 14, 8)];
  return h(
    'ul.legend',
    names.map((name, at) =>
      h(
        'li',
        s(
          'svg',
          { viewBox: '0 0 28 16', class: 'swatch', 'aria-hidden': 'true' },
          ...(at === 0 ? [defs] : []),
          ...swatch(at),
        ),
        name,
      ),
    ),
  );
}
