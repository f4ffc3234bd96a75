import { z } from 'zod';
import { words } from './objects.ts';

/** Rich text. Source: docs.slack.dev/reference/block-kit/blocks/rich-text-block. */

const styled = {
  style: z
    .strictObject({
      bold: z.boolean().optional(),
      code: z.boolean().optional(),
      italic: z.boolean().optional(),
      strike: z.boolean().optional(),
      underline: z.boolean().optional(),
    })
    .optional(),
};

const text = z.strictObject({ type: z.literal('text'), text: words(3000), ...styled });
const link = z.strictObject({
  type: z.literal('link'),
  url: words(3000),
  text: z.string().optional(),
  unsafe: z.boolean().optional(),
  ...styled,
});

const inline = z.discriminatedUnion('type', [
  text,
  link,
  z.strictObject({ type: z.literal('broadcast'), range: z.enum(['here', 'channel', 'everyone']), ...styled }),
  z.strictObject({ type: z.literal('color'), value: words(255), ...styled }),
  z.strictObject({ type: z.literal('channel'), channel_id: words(255), ...styled }),
  z.strictObject({
    type: z.literal('date'),
    timestamp: z.int(),
    format: words(255),
    url: words(3000).optional(),
    fallback: words(3000).optional(),
    ...styled,
  }),
  z.strictObject({
    type: z.literal('emoji'),
    name: words(255),
    unicode: words(255).optional(),
    url: words(3000).optional(),
    ...styled,
  }),
  z.strictObject({ type: z.literal('team'), team_id: words(255), ...styled }),
  z.strictObject({ type: z.literal('user'), user_id: words(255), ...styled }),
  z.strictObject({ type: z.literal('usergroup'), usergroup_id: words(255), ...styled }),
]);

const border = { border: z.union([z.literal(0), z.literal(1)]).optional() };
const section = z.strictObject({ type: z.literal('rich_text_section'), elements: z.array(inline) });

/** The parts of a rich_text block. */
export const richTextElements = z.array(
  z.discriminatedUnion('type', [
    section,
    z.strictObject({
      type: z.literal('rich_text_list'),
      elements: z.array(section),
      style: z.enum(['bullet', 'ordered']),
      indent: z.int().min(0).max(8).optional(),
      offset: z.int().min(0).optional(),
      ...border,
    }),
    z.strictObject({ type: z.literal('rich_text_quote'), elements: z.array(inline), ...border }),
    z.strictObject({
      type: z.literal('rich_text_preformatted'),
      elements: z.array(z.discriminatedUnion('type', [text, link])),
      ...border,
    }),
  ]),
);

/** A rich_text block as a value, such as in a table's cell. */
export const richTextValue = z.strictObject({
  type: z.literal('rich_text'),
  elements: richTextElements,
  block_id: words(255).optional(),
});
