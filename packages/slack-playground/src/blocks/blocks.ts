import { z } from 'zod';
import { dataVisualization } from './charts.ts';
import { accessory, actionElement, image, inputElement } from './elements.ts';
import { anyText, hasOneSource, id, mrkdwn, oneSource, pictureFields, plainText, words } from './objects.ts';
import { richTextElements, richTextValue } from './rich-text.ts';

/** The blocks by surface. Source: docs.slack.dev/reference/block-kit/blocks. */

const named = { block_id: id.optional() };

const actions = z.strictObject({
  type: z.literal('actions'),
  elements: z.array(actionElement).min(1).max(25),
  ...named,
});

const alert = z.strictObject({
  type: z.literal('alert'),
  text: anyText(3000),
  level: z.enum(['default', 'info', 'warning', 'error', 'success']).optional(),
  ...named,
});

const context = z.strictObject({
  type: z.literal('context'),
  elements: z
    .array(z.discriminatedUnion('type', [image, plainText(3000), mrkdwn(3000)]))
    .min(1)
    .max(10),
  ...named,
});

const divider = z.strictObject({ type: z.literal('divider'), ...named });

const header = z.strictObject({ type: z.literal('header'), text: plainText(150), ...named });

const imageBlock = z
  .strictObject({
    type: z.literal('image'),
    alt_text: words(2000),
    title: plainText(2000).optional(),
    ...pictureFields,
    ...named,
  })
  .refine(hasOneSource, oneSource);

const input = z
  .strictObject({
    type: z.literal('input'),
    label: plainText(2000),
    hint: plainText(2000).optional(),
    optional: z.boolean().optional(),
    element: inputElement,
    dispatch_action: z.boolean().optional(),
    ...named,
  })
  .refine((block) => !block.dispatch_action || block.element.type !== 'file_input', {
    message: 'file_input cannot dispatch actions',
    path: ['dispatch_action'],
  });

const markdown = z.strictObject({ type: z.literal('markdown'), text: words(12_000), ...named });

const richText = z.strictObject({ type: z.literal('rich_text'), elements: richTextElements, ...named });

const section = z
  .strictObject({
    type: z.literal('section'),
    text: anyText(3000).optional(),
    fields: z.array(anyText(2000)).min(1).max(10).optional(),
    accessory: accessory.optional(),
    expand: z.boolean().optional(),
    ...named,
  })
  .refine((block) => block.text !== undefined || block.fields !== undefined, {
    message: 'must define either `text` or `fields`',
  });

const cell = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('raw_text'), text: words(3000) }),
  z.strictObject({ type: z.literal('raw_number'), value: z.number(), text: words(3000) }),
  richTextValue,
]);

const row = z.array(cell).min(1).max(20);

/** Every row as long as the first. */
const even = (block: { rows: unknown[][] }) => block.rows.every((r) => r.length === block.rows[0]?.length);

const table = z
  .strictObject({
    type: z.literal('table'),
    rows: z.array(row).min(1).max(100),
    column_settings: z
      .array(
        z.strictObject({
          align: z.enum(['left', 'center', 'right']).optional(),
          is_wrapped: z.boolean().optional(),
        }),
      )
      .max(20)
      .optional(),
    ...named,
  })
  .refine(even, { message: 'rows must be equally long', path: ['rows'] });

const dataTable = z
  .strictObject({
    type: z.literal('data_table'),
    rows: z.array(row).min(2).max(101),
    caption: words(3000),
    page_size: z.int().min(1).max(100).optional(),
    row_header_column_index: z.int().min(0).optional(),
    ...named,
  })
  .refine(even, { message: 'rows must be equally long', path: ['rows'] })
  .refine((block) => block.rows[0]?.every(({ type }) => type !== 'rich_text'), {
    message: 'header cells cannot be rich_text',
    path: ['rows', 0],
  })
  .refine((block) => (block.row_header_column_index ?? 0) < (block.rows[0]?.length ?? 0), {
    message: 'must be one of the columns',
    path: ['row_header_column_index'],
  });

/** What a message may hold: everything but a file input. */
export const messageBlock = z.discriminatedUnion('type', [
  actions,
  alert,
  context,
  dataTable,
  dataVisualization,
  divider,
  header,
  imageBlock,
  input.refine((block) => block.element.type !== 'file_input', {
    message: 'unsupported type: file_input',
    path: ['element', 'type'],
  }),
  markdown,
  richText,
  section,
  table,
]);

/** What a modal may hold: no tables and no markdown. */
export const modalBlock = z.discriminatedUnion('type', [
  actions,
  alert,
  context,
  divider,
  header,
  imageBlock,
  input,
  richText,
  section,
]);

/** What a Home tab may hold: tables, but no charts, alerts and markdown. */
export const homeBlock = z.discriminatedUnion('type', [
  actions,
  context,
  dataTable,
  divider,
  header,
  imageBlock,
  input,
  richText,
  section,
  table,
]);
