import { z } from 'zod';
import { id, listOf, typed, words } from './objects.ts';

/** The data_visualization block. Source: docs.slack.dev/reference/block-kit/blocks/data-visualization-block. */

/** How many segments or series a chart may have. An older version of Slack's page says 6. */
const MAX_PARTS = 12;
const MAX_CATEGORIES = 20;

const label = words(20);
const point = z.strictObject({ label, value: z.number() });
const series = z.strictObject({ name: label, data: listOf(point, MAX_CATEGORIES) });
const axes = z.strictObject({
  categories: listOf(label, MAX_CATEGORIES),
  x_label: words(50).optional(),
  y_label: words(50).optional(),
});

const different = (names: readonly string[]) => new Set(names).size === names.length;

const segment = point.refine(({ value }) => value > 0, { message: 'must be more than 0', path: ['value'] });
const pie = typed('pie', { segments: listOf(segment, MAX_PARTS) });

/** A chart with axes: each series has one value for each category. */
const withAxes = <Type extends string>(type: Type) =>
  typed(type, { series: listOf(series, MAX_PARTS), axis_config: axes })
    .refine((chart) => different(chart.series.map(({ name }) => name)), {
      message: 'series names must be unique',
      path: ['series'],
    })
    .refine((chart) => different(chart.axis_config.categories), {
      message: 'categories must be unique',
      path: ['axis_config', 'categories'],
    })
    .refine(
      ({ series: all, axis_config: { categories } }) =>
        all.every(
          ({ data }) =>
            data.length === categories.length &&
            categories.every((category) => data.some((one) => one.label === category)),
        ),
      { message: 'series must have one value for each category', path: ['series'] },
    );

/** A chart in a message; its title, labels and names are plain strings. */
export const dataVisualization = typed('data_visualization', {
  title: words(50),
  chart: z.discriminatedUnion('type', [pie, withAxes('bar'), withAxes('area'), withAxes('line')]),
  block_id: id.optional(),
});
export type DataVisualization = z.infer<typeof dataVisualization>;
