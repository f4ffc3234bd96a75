import { z } from 'zod';

/**
 * The small objects that blocks and elements are made of, with Slack's limits in UTF-16 units.
 * Source: docs.slack.dev/reference/block-kit/composition-objects.
 */

/** A string of 1 to `max` units. */
export const words = (max: number) => z.string().min(1).max(max);

/** `action_id`, `block_id`, `callback_id`: at most 255. */
export const id = words(255);

/** A list of 1 to `most`. */
export const listOf = <Item extends z.ZodType>(item: Item, most: number) => z.array(item).min(1).max(most);

/** True, false or left out. */
export const flag = z.boolean().optional();

/** An object of this `type` with these fields and no others. */
export const typed = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  z.strictObject({ type: z.literal(type), ...fields });

/** A plain_text object of 1 to `max` units. */
export const plainText = (max: number) => typed('plain_text', { text: words(max), emoji: flag });

/** A mrkdwn object of 1 to `max` units. */
export const mrkdwn = (max: number) => typed('mrkdwn', { text: words(max), verbatim: flag });

/** A text object of either kind. */
export const anyText = (max: number) => z.discriminatedUnion('type', [plainText(max), mrkdwn(max)]);

const colour = z.enum(['primary', 'danger']);

/** The dialog that asks "are you sure?": title 100, text 300, buttons 30. */
export const confirm = z.strictObject({
  title: plainText(100).optional(),
  text: anyText(300),
  confirm: plainText(30).optional(),
  deny: plainText(30).optional(),
  style: colour.optional(),
});

/** The colour of a button. */
export const style = colour.optional();

/** An option of a menu. */
export const plainOption = z.strictObject({
  text: plainText(75),
  value: words(75).optional(),
  description: plainText(75).optional(),
});

/** An option of radio buttons and checkboxes; its texts may be mrkdwn. */
export const anyOption = plainOption.extend({ text: anyText(75), description: anyText(75).optional() });

/** An option of an overflow menu, which may open a link. */
export const linkOption = plainOption.extend({ url: words(3000).optional() });

/** A titled group of up to 100 options. */
export const optionGroup = z.strictObject({ label: plainText(75), options: listOf(plainOption, 100) });

/** The picture of an image block or element: exactly one of a link and a file. */
export const pictureFields = {
  image_url: words(3000).optional(),
  slack_file: z.union([z.strictObject({ url: words(3000) }), z.strictObject({ id: words(255) })]).optional(),
};

/** For `refine`: exactly one of the two fields must be there. */
export const eitherOf = (one: string, other: string) =>
  [
    (fields: Record<string, unknown>) => (fields[one] === undefined) !== (fields[other] === undefined),
    { message: `must define either \`${one}\` or \`${other}\`` },
  ] as const;

export const oneSource = eitherOf('image_url', 'slack_file');
