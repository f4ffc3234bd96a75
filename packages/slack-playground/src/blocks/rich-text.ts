import { z } from 'zod';
import { flag, id, typed, words } from './objects.ts';

/** Rich text. Source: docs.slack.dev/reference/block-kit/blocks/rich-text-block. */

const styled = {
  style: z.strictObject({ bold: flag, code: flag, italic: flag, strike: flag, underline: flag }).optional(),
};

const inlineOf = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  typed(type, { ...fields, ...styled });

const text = inlineOf('text', { text: words(3000) });
const link = inlineOf('link', { url: words(3000), text: z.string().optional(), unsafe: flag });

const inline = z.discriminatedUnion('type', [
  text,
  link,
  inlineOf('broadcast', { range: z.enum(['here', 'channel', 'everyone']) }),
  inlineOf('color', { value: words(255) }),
  inlineOf('channel', { channel_id: id }),
  inlineOf('date', {
    timestamp: z.int(),
    format: words(255),
    url: words(3000).optional(),
    fallback: words(3000).optional(),
  }),
  inlineOf('emoji', { name: words(255), unicode: words(255).optional(), url: words(3000).optional() }),
  inlineOf('team', { team_id: id }),
  inlineOf('user', { user_id: id }),
  inlineOf('usergroup', { usergroup_id: id }),
]);

const border = { border: z.union([z.literal(0), z.literal(1)]).optional() };
const section = typed('rich_text_section', { elements: z.array(inline) });

/** A rich_text block, also as a table's cell. */
export const richText = typed('rich_text', {
  elements: z.array(
    z.discriminatedUnion('type', [
      section,
      typed('rich_text_list', {
        elements: z.array(section),
        style: z.enum(['bullet', 'ordered']),
        indent: z.int().min(0).max(8).optional(),
        offset: z.int().min(0).optional(),
        ...border,
      }),
      typed('rich_text_quote', { elements: z.array(inline), ...border }),
      typed('rich_text_preformatted', {
        elements: z.array(z.discriminatedUnion('type', [text, link])),
        ...border,
      }),
    ]),
  ),
  block_id: id.optional(),
});
