// @ts-check
import { fills, lineOf, markAt, said, valueIn } from './chart-parts.js';
import { s } from './svg.js';

/** The average width of a character in a chart, px. */
const CHARACTER = 6.6;
const TOP = 14;
const TICKS = 4;
/** A chart with at most this many bars shows their values above them. */
const WRITTEN_BARS = 14;

/** Round numbers from the lowest to the highest value, with 0 among them; whole numbers for whole values. @param {readonly number[]} values */
export function ticksOf(values) {
  const low = Math.min(0, ...values);
  const high = Math.max(0, ...values);
  const rough = (high - low || 1) / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const areWhole = values.every(Number.isInteger);
  const fits = (/** @type {number} */ one) => one >= rough && (!areWhole || Number.isInteger(one));
  const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find(fits) ?? rough;
  const first = Math.floor(low / step);
  const last = Math.max(first + 1, Math.ceil(high / step));
  return Array.from({ length: last - first + 1 }, (_, at) => (first + at) * step);
}

/** @param {number} value */
const short = (value) =>
  Math.abs(value) < 10_000
    ? said(value)
    : value.toLocaleString('en', { notation: 'compact', maximumFractionDigits: 1 });

/**
 * Draws a chart of bars, lines or areas.
 * @param {any} chart @param {number} width px
 */
export function drawWithAxes(chart, width) {
  const { type, series, axis_config: axes } = chart;
  const categories = /** @type {string[]} */ (axes.categories);
  const ticks = ticksOf(
    series.flatMap((/** @type {any} */ { data }) => data.map((/** @type {any} */ d) => d.value)),
  );
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)];

  const left = Math.max(...ticks.map((tick) => short(tick).length)) * CHARACTER + (axes.y_label ? 30 : 12);
  const slot = (width - left - 8) / categories.length;
  const widest = Math.max(...categories.map(({ length }) => length)) * CHARACTER + 8;
  // If the names have no room beside each other, only every second or third has one; the figures below have all.
  const every = Math.max(1, Math.ceil(widest / slot));
  const height = 210;
  const bottom = TOP + height;
  const yOf = (/** @type {number} */ value) => bottom - ((value - low) / (high - low)) * height;
  const xOf = (/** @type {number} */ at) => left + slot * (at + 0.5);
  const inside = (/** @type {number} */ x, /** @type {string} */ text) =>
    Math.min(width - (text.length * CHARACTER) / 2, x);

  const grid = ticks.flatMap((tick) => [
    s('line', { x1: left, x2: width, y1: yOf(tick), y2: yOf(tick), class: tick === 0 ? 'axis' : 'grid' }),
    s('text', { x: left - 6, y: yOf(tick) + 4, 'text-anchor': 'end' }, short(tick)),
  ]);
  const names = categories.flatMap((category, at) =>
    at % every === 0
      ? [s('text', { x: inside(xOf(at), category), y: bottom + 18, 'text-anchor': 'middle' }, category)]
      : [],
  );
  const titles = [
    axes.x_label &&
      s(
        'text',
        { x: left + (width - left) / 2, y: bottom + 38, 'text-anchor': 'middle', class: 'axis-name' },
        axes.x_label,
      ),
    axes.y_label &&
      s(
        'text',
        {
          transform: `translate(12 ${TOP + height / 2}) rotate(-90)`,
          'text-anchor': 'middle',
          class: 'axis-name',
        },
        axes.y_label,
      ),
  ].filter(Boolean);

  const { defs, fill } = fills(series.length);
  function bars() {
    const wide = Math.min(40, (slot * 0.8) / series.length);
    const written = categories.length * series.length <= WRITTEN_BARS;
    return categories.flatMap((category, at) =>
      series.flatMap((/** @type {any} */ one, /** @type {number} */ part) => {
        const value = valueIn(one, category);
        const x = xOf(at) + (part - series.length / 2) * wide;
        const [top, base] = [yOf(Math.max(0, value)), yOf(Math.min(0, value))];
        const bar = s(
          'rect',
          {
            x: x + 1,
            y: top,
            width: Math.max(1, wide - 2),
            height: base - top,
            fill: fill(part),
            class: 'bar',
          },
          s('title', {}, `${one.name}, ${category}: ${said(value)}`),
        );
        const above = { x: x + wide / 2, y: value < 0 ? base + 12 : top - 4, 'text-anchor': 'middle' };
        return written ? [bar, s('text', above, short(value))] : [bar];
      }),
    );
  }
  function lines() {
    return series.flatMap((/** @type {any} */ one, /** @type {number} */ part) => {
      const points = categories.map((category, at) => [xOf(at), yOf(valueIn(one, category))]);
      const d = `M${points.map((point) => point.join(' ')).join('L')}`;
      const area = `${d}L${xOf(categories.length - 1)} ${yOf(0)}L${xOf(0)} ${yOf(0)}z`;
      const below = type === 'area' ? [s('path', { d: area, fill: fill(part), class: 'area' })] : [];
      return [...below, lineOf(part, d), ...points.map(([x = 0, y = 0]) => markAt(part, x, y))];
    });
  }
  return {
    height: bottom + (axes.x_label ? 46 : 26),
    drawn: [defs, ...grid, ...(type === 'bar' ? bars() : lines()), ...names, ...titles],
  };
}
