import { z } from 'zod';
import {
  anyOption,
  confirm,
  eitherOf,
  flag,
  id,
  linkOption,
  listOf,
  oneSource,
  optionGroup,
  pictureFields,
  plainOption,
  plainText,
  style,
  typed,
  words,
} from './objects.ts';
import { richText } from './rich-text.ts';

// Block elements. Source: docs.slack.dev/reference/block-kit/block-elements.

const clickable = { action_id: id.optional(), confirm: confirm.optional() };
const focusable = { focus_on_load: flag };
const placeholder = { placeholder: plainText(150).optional() };
const accessibilityLabel = { accessibility_label: words(75).optional() };
const selectionLimit = { max_selected_items: z.int().min(1).optional() };
const dispatchOn = z.array(z.enum(['on_enter_pressed', 'on_character_entered'])).min(1);
const dispatchConfig = {
  dispatch_action_config: z.optional(z.strictObject({ trigger_actions_on: dispatchOn.optional() })),
};

/** An element that people type into. */
const field = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  typed(type, { ...fields, action_id: id.optional(), ...dispatchConfig, ...focusable, ...placeholder });
/** An element that opens a list, a calendar or a clock to choose from. */
const menu = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  typed(type, { ...fields, ...clickable, ...focusable, ...placeholder });

type Option = z.infer<typeof anyOption>;

interface Choices {
  options?: Option[] | undefined;
  option_groups?: { options: Option[] }[] | undefined;
  initial_option?: Option | undefined;
  initial_options?: Option[] | undefined;
}

/** Whether the initial choices are among the options, by text and value. */
function offersInitial(element: Choices): boolean {
  const all = element.options ?? (element.option_groups ?? []).flatMap((group) => group.options);
  const chosen = element.initial_options ?? [element.initial_option ?? []].flat();
  return chosen.every(({ text, value }) => all.some((o) => o.value === value && o.text.text === text.text));
}
const notOffered = (key: string) => ({ message: `${key} must be one of the options`, path: [key] });
const oneList = eitherOf('options', 'option_groups');

const listFields = {
  options: listOf(plainOption, 100).optional(),
  option_groups: listOf(optionGroup, 100).optional(),
};
const filter = z.strictObject({
  include: z.optional(z.array(z.enum(['im', 'mpim', 'private', 'public'])).min(1)),
  exclude_external_shared_channels: flag,
  exclude_bot_users: flag,
});

export const button = typed('button', {
  text: plainText(75),
  value: words(2000).optional(),
  url: words(3000).optional(),
  style,
  ...accessibilityLabel,
  ...clickable,
});

export const image = typed('image', { alt_text: words(2000), ...pictureFields }).refine(...oneSource);

const checkboxes = typed('checkboxes', {
  options: listOf(anyOption, 10),
  initial_options: z.array(anyOption).min(1).optional(),
  ...clickable,
  ...focusable,
}).refine(offersInitial, notOffered('initial_options'));

const radioButtons = typed('radio_buttons', {
  options: listOf(anyOption, 10),
  initial_option: anyOption.optional(),
  ...clickable,
  ...focusable,
}).refine(offersInitial, notOffered('initial_option'));

const overflow = typed('overflow', { options: listOf(linkOption, 5), ...clickable });

const staticSelect = menu('static_select', { ...listFields, initial_option: plainOption.optional() })
  .refine(...oneList)
  .refine(offersInitial, notOffered('initial_option'));

const multiStaticSelect = menu('multi_static_select', {
  ...listFields,
  initial_options: z.array(plainOption).min(1).optional(),
  ...selectionLimit,
})
  .refine(...oneList)
  .refine(offersInitial, notOffered('initial_options'));

const ids = z.array(id).optional();
const queryLength = { min_query_length: z.int().min(0).optional() };
const responseUrl = { response_url_enabled: flag };
const conversations = { default_to_current_conversation: flag, filter: filter.optional() };

/** Menus whose choices are not in the block: Slack has them, or asks the app. */
const menus = [
  menu('external_select', { initial_option: plainOption.optional(), ...queryLength }),
  menu('users_select', { initial_user: id.optional() }),
  menu('conversations_select', { initial_conversation: id.optional(), ...conversations, ...responseUrl }),
  menu('channels_select', { initial_channel: id.optional(), ...responseUrl }),
  menu('multi_external_select', {
    initial_options: plainOption.array().optional(),
    ...queryLength,
    ...selectionLimit,
  }),
  menu('multi_users_select', { initial_users: ids, ...selectionLimit }),
  menu('multi_conversations_select', { initial_conversations: ids, ...conversations, ...selectionLimit }),
  menu('multi_channels_select', { initial_channels: ids, ...selectionLimit }),
] as const;

const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);
const pickers = [
  menu('datepicker', { initial_date: z.iso.date().optional() }),
  menu('timepicker', { initial_time: time.optional(), timezone: words(255).optional() }),
  typed('datetimepicker', {
    initial_date_time: z.int().min(1_000_000_000).max(9_999_999_999).optional(),
    ...clickable,
    ...focusable,
  }),
] as const;

const plainTextInput = field('plain_text_input', {
  initial_value: z.string().max(3000).optional(),
  multiline: flag,
  min_length: z.int().min(0).max(3000).optional(),
  max_length: z.int().min(1).max(3000).optional(),
})
  .refine((input) => (input.min_length ?? 0) <= (input.max_length ?? 3000), {
    message: 'must not be more than max_length',
    path: ['min_length'],
  })
  .refine((input) => (input.initial_value ?? '').length <= (input.max_length ?? 3000), {
    message: 'must not be longer than max_length',
    path: ['initial_value'],
  });

const decimal = z.string().regex(/^-?\d+(\.\d+)?$/);
const numberInput = field('number_input', {
  is_decimal_allowed: z.boolean(),
  initial_value: decimal.optional(),
  min_value: decimal.optional(),
  max_value: decimal.optional(),
});

const richTextInput = field('rich_text_input', { initial_value: richText.optional() });

const workflowButton = typed('workflow_button', {
  text: plainText(75),
  workflow: z.strictObject({
    trigger: z.strictObject({
      url: words(3000),
      customizable_input_parameters: z.optional(
        z.array(z.strictObject({ name: words(255), value: words(3000) })),
      ),
    }),
  }),
  style,
  ...accessibilityLabel,
  ...clickable,
});

/** The elements that a section, an actions block and an input block may all hold. */
const choosers = [checkboxes, radioButtons, staticSelect, multiStaticSelect, ...menus, ...pickers] as const;

/** What a section may carry beside its text. */
export const accessory = z.discriminatedUnion('type', [...choosers, button, image, overflow, workflowButton]);

/** What an actions block may hold. */
export const actionElement = z.discriminatedUnion('type', [
  ...choosers,
  button,
  overflow,
  workflowButton,
  richTextInput,
]);

/** What an input block may hold. */
export const inputElement = z.discriminatedUnion('type', [
  ...choosers,
  plainTextInput,
  numberInput,
  richTextInput,
  field('email_text_input', { initial_value: z.string().optional() }),
  field('url_text_input', { initial_value: z.string().optional() }),
  typed('file_input', {
    filetypes: z.array(words(255)).min(1).optional(),
    max_files: z.int().min(1).max(10).optional(),
    action_id: id.optional(),
  }),
]);
