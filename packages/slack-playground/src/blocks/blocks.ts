import { z } from 'zod';
import { dataVisualization } from './charts.ts';
import { accessory, actionElement, image, inputElement } from './elements.ts';
import {
  anyText,
  flag,
  id,
  listOf,
  mrkdwn,
  oneSource,
  pictureFields,
  plainText,
  typed,
  words,
} from './objects.ts';
import { richText } from './rich-text.ts';

/** The blocks of messages, modals and Home tabs. Source: docs.slack.dev/reference/block-kit/blocks. */

const block = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  typed(type, { ...fields, block_id: id.optional() });

const actions = block('actions', { elements: listOf(actionElement, 25) });

const alert = block('alert', {
  text: anyText(3000),
  level: z.enum(['default', 'info', 'warning', 'error', 'success']).optional(),
});

const context = block('context', {
  elements: listOf(z.discriminatedUnion('type', [image, plainText(3000), mrkdwn(3000)]), 10),
});

const divider = block('divider', {});

const header = block('header', { text: plainText(150) });

const imageBlock = block('image', {
  alt_text: words(2000),
  title: plainText(2000).optional(),
  ...pictureFields,
}).refine(...oneSource);

const input = block('input', {
  label: plainText(2000),
  hint: plainText(2000).optional(),
  optional: flag,
  element: inputElement,
  dispatch_action: flag,
}).refine((block) => !block.dispatch_action || block.element.type !== 'file_input', {
  message: 'file_input cannot dispatch actions',
  path: ['dispatch_action'],
});

const markdown = block('markdown', { text: words(12_000) });

const section = block('section', {
  text: anyText(3000).optional(),
  fields: listOf(anyText(2000), 10).optional(),
  accessory: accessory.optional(),
  expand: flag,
}).refine((block) => block.text !== undefined || block.fields !== undefined, {
  message: 'must define either `text` or `fields`',
});

const cell = z.discriminatedUnion('type', [
  typed('raw_text', { text: words(3000) }),
  typed('raw_number', { value: z.number(), text: words(3000) }),
  richText,
]);

const row = listOf(cell, 20);

/** Whether every row is as long as the first. */
const even = (table: { rows: unknown[][] }) => table.rows.every((r) => r.length === table.rows[0]?.length);

const column = z.strictObject({ align: z.enum(['left', 'center', 'right']).optional(), is_wrapped: flag });

const table = block('table', {
  rows: listOf(row, 100),
  column_settings: z.optional(z.array(column).max(20)),
}).refine(even, { message: 'rows must be equally long', path: ['rows'] });

const dataTable = block('data_table', {
  rows: z.array(row).min(2).max(101),
  caption: words(3000),
  page_size: z.int().min(1).max(100).optional(),
  row_header_column_index: z.int().min(0).optional(),
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

const everywhere = [actions, context, divider, header, imageBlock, richText, section] as const;

/** What a message may hold: everything but a file input. */
export const messageBlock = z.discriminatedUnion('type', [
  ...everywhere,
  alert,
  dataTable,
  dataVisualization,
  input.refine((block) => block.element.type !== 'file_input', {
    message: 'unsupported type: file_input',
    path: ['element', 'type'],
  }),
  markdown,
  table,
]);

/** What a modal may hold: no tables and no markdown. */
export const modalBlock = z.discriminatedUnion('type', [...everywhere, alert, input]);

/** What a Home tab may hold: tables, but no charts, alerts and markdown. */
export const homeBlock = z.discriminatedUnion('type', [...everywhere, dataTable, input, table]);
