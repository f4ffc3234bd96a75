// @ts-check
import { drawWithAxes } from './chart-axes.js';
import { fills, legend, said, valueIn } from './chart-parts.js';
import { h } from './dom.js';
import { s } from './svg.js';

const KINDS = { pie: 'Pie chart', bar: 'Bar chart', line: 'Line chart', area: 'Area chart' };
/** The widths of a drawing on a phone and elsewhere, px. */
const NARROW = 320;
const WIDE = 600;

/** @param {number} part @param {number} whole */
const percent = (part, whole) => `${said(Math.round((part / whole) * 1000) / 10)} %`;

/** @param {readonly { label: string, value: number }[]} segments */
function drawPie(segments) {
  const whole = segments.reduce((sum, { value }) => sum + value, 0);
  const { defs, fill } = fills(segments.length);
  const [x, y, r] = [110, 110, 100];
  const at = (/** @type {number} */ turn, radius = r) => {
    const angle = (turn - 0.25) * 2 * Math.PI;
    return `${x + radius * Math.cos(angle)} ${y + radius * Math.sin(angle)}`;
  };
  let turn = 0;
  const slices = segments.map(({ label, value }, part) => {
    const [from, to] = [turn, turn + value / whole];
    turn = to;
    const arc = `M${x} ${y}L${at(from)}A${r} ${r} 0 ${to - from > 0.5 ? 1 : 0} 1 ${at(to)}z`;
    const name = s('title', {}, `${label}: ${said(value)}`);
    // An arc of the whole turn would be invisible: it begins and ends at the same point.
    if (segments.length === 1)
      return s('circle', { cx: x, cy: y, r, fill: fill(part), class: 'slice' }, name);
    return s('path', { d: arc, fill: fill(part), class: 'slice' }, name);
  });
  return { width: 220, height: 220, drawn: [defs, ...slices], whole };
}

/** The figures as a table: for people who cannot see the drawing, or want exact figures. @param {any} chart */
function figures(chart) {
  const series = chart.type === 'pie' ? [{ name: 'Value', data: chart.segments }] : chart.series;
  const names = series.map((/** @type {any} */ { name }) => h('th', { scope: 'col' }, name));
  const rows = series[0].data.map((/** @type {any} */ { label }) => {
    const values = series.map((/** @type {any} */ one) => said(valueIn(one, label)));
    const cells = values.map((/** @type {string} */ value) => h('td.number', value));
    return h('tr', h('th', { scope: 'row' }, label), cells);
  });
  return h(
    'details.chart-figures',
    h('summary', 'Figures'),
    h('table', h('thead', h('tr', h('td'), names)), h('tbody', rows)),
  );
}

/**
 * A data_visualization block: a drawing, a legend and the figures. Parts never differ in colour alone: each has a pattern
 * or a mark, too.
 * @param {any} block
 */
export function chart({ title, chart: what }) {
  const width = matchMedia('(max-width: 40rem)').matches ? NARROW : WIDE;
  const pie = what.type === 'pie' ? drawPie(what.segments) : undefined;
  const { height, drawn } = pie ?? drawWithAxes(what, width);
  const kind = /** @type {Record<string, string>} */ (KINDS)[what.type];
  const svg = s(
    'svg',
    {
      viewBox: `0 0 ${pie?.width ?? width} ${height}`,
      role: 'img',
      'aria-label': `${kind}: ${title}. Its figures are below.`,
      class: pie ? 'chart-drawing pie' : 'chart-drawing',
    },
    ...drawn,
  );
  const parts = pie
    ? what.segments.map(
        (/** @type {any} */ { label, value }) => `${label}: ${said(value)} (${percent(value, pie.whole)})`,
      )
    : what.series.map((/** @type {any} */ { name }) => name);
  return h(
    'figure.chart',
    h('figcaption', title),
    h(
      `div.chart-parts${pie ? '.pie-parts' : ''}`,
      svg,
      legend(parts, /line/.test(what.type) ? 'line' : 'fill'),
    ),
    figures(what),
  );
}
