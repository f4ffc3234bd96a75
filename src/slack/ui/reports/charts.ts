import type { DataTableBlock, KnownBlock } from '@slack/types';
import { cut } from '../safe-text.ts';
import { count } from '../words.ts';

/** A chart, at most two a message: docs.slack.dev/reference/block-kit/blocks/data-visualization-block. Not in @slack/types 3.2 yet. */
export interface DataVisualizationBlock {
  type: 'data_visualization';
  title: string;
  chart:
    | { type: 'pie'; segments: Point[] }
    | {
        type: 'bar' | 'line';
        series: { name: string; data: Point[] }[];
        axis_config: { categories: string[] };
      };
}

interface Point {
  label: string;
  value: number;
}

/** The data of a chart over days: each series has one value per category. */
export interface Figures {
  title: string;
  /** Days in UTC, or groups of them. Their names are unique. So are series names. */
  categories: readonly string[];
  series: readonly { name: string; values: readonly number[] }[];
}

const TITLE_MAX = 50;
const LABEL_MAX = 20;
export const MOST_CATEGORIES = 20;
/** The most series or pie segments. Slack's documentation has said six and twelve; six is safe. */
const MOST_PARTS = 6;

/** A bar or line chart. Needs at least one category and one series. */
export function axisChart(type: 'bar' | 'line', figures: Figures): KnownBlock {
  const categories = figures.categories.slice(0, MOST_CATEGORIES).map(labelOf);
  const series = figures.series.slice(0, MOST_PARTS).map(({ name, values }) => ({
    name: labelOf(name),
    data: categories.map((label, i) => ({ label, value: values[i] ?? 0 })),
  }));
  return chartBlock(figures.title, { type, series, axis_config: { categories } });
}

/** Parts of a whole; undefined unless at least two are above 0, since a single part says nothing. */
export function pieChart(
  title: string,
  parts: readonly { name: string; value: number }[],
): KnownBlock | undefined {
  const some = parts.filter(({ value }) => value > 0).slice(0, MOST_PARTS);
  if (some.length < 2) return undefined;
  const segments = some.map(({ name, value }) => ({ label: labelOf(name), value }));
  return chartBlock(title, { type: 'pie', segments });
}

function labelOf(name: string): string {
  return cut(name, LABEL_MAX);
}

/** The chart's data as a table, for workspaces where Slack refuses charts and for views that can't show charts. */
export function figuresTable({ title, categories, series }: Figures): DataTableBlock {
  return {
    type: 'data_table',
    caption: title,
    rows: [
      ['Day (UTC)', ...series.map(({ name }) => name)].map(textCell),
      ...categories.map((category, i): DataTableBlock['rows'][number] => [
        textCell(category),
        ...series.map(({ values }) => numberCell(values[i] ?? 0)),
      ]),
    ],
  };
}

export type Cell = DataTableBlock['rows'][number][number];

export function textCell(text: string): Cell {
  return { type: 'raw_text', text };
}

export function numberCell(value: number): Cell {
  return { type: 'raw_number', value, text: count(value) };
}

/** The same figures as lines, for a message's `text` and for a picture's description. */
export function figureLines({ title, categories, series }: Figures): string[] {
  return [
    title,
    ...categories.map((category, i) => {
      const values = series.map(({ name, values: all }) => `${name} ${count(all[i] ?? 0)}`);
      return `${category}: ${values.join(', ')}`;
    }),
  ];
}

/** Slack takes blocks that @slack/types does not know yet. */
function chartBlock(title: string, chart: DataVisualizationBlock['chart']): KnownBlock {
  const block: DataVisualizationBlock = { type: 'data_visualization', title: cut(title, TITLE_MAX), chart };
  return block as unknown as KnownBlock;
}
