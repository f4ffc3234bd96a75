import { join } from 'node:path';
import { Resvg } from '@resvg/resvg-js';
import type { Figures } from '../ui/reports/charts.ts';
import { count } from '../ui/words.ts';

/** What a picture measures, in pixels. */
const WIDTH = 960;
const HEIGHT = 420;
const LEFT = 90;
const RIGHT = 24;
const TOP = 84;
const BOTTOM = 52;
/** Lines across, with a figure each. */
const STEPS = 4;
const MOST_NAMES = 8;
const FONT = 'DejaVu Sans';
/** Each line has its own dashes, for people who see colours differently. */
const LINES = [
  { colour: '#1f3a5f', dashes: '' },
  { colour: '#b3261e', dashes: '8 6' },
  { colour: '#2e7d32', dashes: '2 6' },
] as const;

/** Figures as lines over their categories: SVG. Three series at most. */
export function linePicture({ title, categories, series }: Figures): string {
  const shown = series.slice(0, LINES.length);
  const top = niceTop(Math.max(1, ...shown.flatMap(({ values }) => values)));
  const x = (i: number) => LEFT + (i * (WIDTH - LEFT - RIGHT)) / Math.max(1, categories.length - 1);
  const y = (value: number) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM);
  const steps = Array.from({ length: STEPS + 1 }, (_, i) => (top * i) / STEPS);
  const every = Math.ceil(categories.length / MOST_NAMES);
  // The names at both ends begin and end there, or the picture would cut them.
  const anchorOf = (i: number) => (i === 0 ? 'start' : i === categories.length - 1 ? 'end' : 'middle');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" font-family="${FONT}" font-size="15">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    words(LEFT, 30, title, { size: 20 }),
    ...shown.map(({ name }, i) => legend(name, i)),
    ...steps.flatMap((value) => [
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(value)}" y2="${y(value)}" stroke="#d8d8d8"/>`,
      words(LEFT - 10, y(value) + 5, count(value), { anchor: 'end' }),
    ]),
    ...categories.flatMap((name, i) =>
      i % every === 0 ? [words(x(i), HEIGHT - BOTTOM + 28, name, { anchor: anchorOf(i) })] : [],
    ),
    ...shown.map(({ values }, i) =>
      line(
        values.map((value, at) => `${x(at)},${y(Math.max(0, value))}`),
        i,
      ),
    ),
    '</svg>',
  ].join('\n');
}

function legend(name: string, i: number): string {
  const from = LEFT + i * 200;
  return `${line([`${from},54`, `${from + 34},54`], i)}\n${words(from + 42, 59, name)}`;
}

function line(points: string[], i: number): string {
  const { colour, dashes } = LINES[i] ?? LINES[0];
  const dashed = dashes === '' ? '' : ` stroke-dasharray="${dashes}"`;
  return `<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="3"${dashed}/>`;
}

function words(
  x: number,
  y: number,
  text: string,
  { anchor = 'start', size = 15 }: { anchor?: 'start' | 'middle' | 'end'; size?: number } = {},
): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" font-size="${size}" fill="#1d1c1d">${escapedXml(text)}</text>`;
}

function escapedXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The figure at the top of the axis: 1, 2, 4, 5 or 8 times a power of ten, with a quarter that is a whole figure. */
function niceTop(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  const tops = [1, 2, 4, 5, 8, 10, 20].map((n) => n * power);
  return tops.find((top) => top >= most && top % STEPS === 0) ?? most;
}

/** The renderer draws no text, and reports no error, without a font: ours is beside this file. */
const FONT_FILE = join(import.meta.dirname, 'DejaVuSans.ttf');

/** An SVG as a PNG. Its only font is DejaVu Sans, whatever the machine has. Takes some ms of the event loop. */
export function renderPng(svg: string): Uint8Array {
  const font = { fontFiles: [FONT_FILE], loadSystemFonts: false, defaultFontFamily: 'DejaVu Sans' };
  return new Resvg(svg, { font }).render().asPng();
}
