import { z } from 'zod';
import {
  anyOption,
  confirm,
  hasOneSource,
  id,
  linkOption,
  oneSource,
  optionGroup,
  pictureFields,
  plainOption,
  plainText,
  style,
  words,
} from './objects.ts';
import { richTextValue } from './rich-text.ts';

/** The elements of blocks. Source: docs.slack.dev/reference/block-kit/block-elements. */

const action = { action_id: id.optional() };
const confirmable = { confirm: confirm.optional() };
const focusable = { focus_on_load: z.boolean().optional() };
const placeholder = { placeholder: plainText(150).optional() };
const label75 = { accessibility_label: words(75).optional() };
const most = { max_selected_items: z.int().min(1).optional() };
const dispatch = {
  dispatch_action_config: z
    .strictObject({
      trigger_actions_on: z
        .array(z.enum(['on_enter_pressed', 'on_character_entered']))
        .min(1)
        .optional(),
    })
    .optional(),
};
const menu = { ...action, ...confirmable, ...focusable, ...placeholder };
const field = { ...action, ...dispatch, ...focusable, ...placeholder };

/** An option as it is compared: two are the same when text and value are. */
const same = (a: { text: { text: string }; value?: string | undefined }, b: typeof a) =>
  a.value === b.value && a.text.text === b.text.text;

interface Choices {
  options?: Parameters<typeof same>[0][] | undefined;
  option_groups?: { options: Parameters<typeof same>[0][] }[] | undefined;
}

function offers(element: Choices, chosen: Parameters<typeof same>[0]): boolean {
  const all = element.options ?? (element.option_groups ?? []).flatMap((group) => group.options);
  return all.some((option) => same(option, chosen));
}

const offersFirst = (element: Choices & { initial_option?: Parameters<typeof same>[0] | undefined }) =>
  element.initial_option === undefined || offers(element, element.initial_option);
const offersAll = (element: Choices & { initial_options?: Parameters<typeof same>[0][] | undefined }) =>
  (element.initial_options ?? []).every((option) => offers(element, option));
const notOffered = (key: string) => ({ message: `${key} must be one of the options`, path: [key] });
const oneList = (element: Choices) =>
  (element.options === undefined) !== (element.option_groups === undefined);
const oneListOnly = { message: 'must define either `options` or `option_groups`' };

const listFields = {
  options: z.array(plainOption).min(1).max(100).optional(),
  option_groups: z.array(optionGroup).min(1).max(100).optional(),
};
const filter = z
  .strictObject({
    include: z
      .array(z.enum(['im', 'mpim', 'private', 'public']))
      .min(1)
      .optional(),
    exclude_external_shared_channels: z.boolean().optional(),
    exclude_bot_users: z.boolean().optional(),
  })
  .optional();

export const button = z.strictObject({
  type: z.literal('button'),
  text: plainText(75),
  value: words(2000).optional(),
  url: words(3000).optional(),
  style,
  ...label75,
  ...action,
  ...confirmable,
});

export const image = z
  .strictObject({ type: z.literal('image'), alt_text: words(2000), ...pictureFields })
  .refine(hasOneSource, oneSource);

const checkboxes = z
  .strictObject({
    type: z.literal('checkboxes'),
    options: z.array(anyOption).min(1).max(10),
    initial_options: z.array(anyOption).min(1).optional(),
    ...action,
    ...confirmable,
    ...focusable,
  })
  .refine(offersAll, notOffered('initial_options'));

const radioButtons = z
  .strictObject({
    type: z.literal('radio_buttons'),
    options: z.array(anyOption).min(1).max(10),
    initial_option: anyOption.optional(),
    ...action,
    ...confirmable,
    ...focusable,
  })
  .refine(offersFirst, notOffered('initial_option'));

const overflow = z.strictObject({
  type: z.literal('overflow'),
  options: z.array(linkOption).min(1).max(5),
  ...action,
  ...confirmable,
});

const staticSelect = z
  .strictObject({
    type: z.literal('static_select'),
    ...listFields,
    initial_option: plainOption.optional(),
    ...menu,
  })
  .refine(oneList, oneListOnly)
  .refine(offersFirst, notOffered('initial_option'));

const multiStaticSelect = z
  .strictObject({
    type: z.literal('multi_static_select'),
    ...listFields,
    initial_options: z.array(plainOption).min(1).optional(),
    ...menu,
    ...most,
  })
  .refine(oneList, oneListOnly)
  .refine(offersAll, notOffered('initial_options'));

const queryLength = { min_query_length: z.int().min(0).optional() };
const respond = { response_url_enabled: z.boolean().optional() };
const conversations = { default_to_current_conversation: z.boolean().optional(), filter };

/** The menus whose choices Slack or the app supplies. */
const menus = [
  z.strictObject({
    type: z.literal('external_select'),
    initial_option: plainOption.optional(),
    ...queryLength,
    ...menu,
  }),
  z.strictObject({ type: z.literal('users_select'), initial_user: id.optional(), ...menu }),
  z.strictObject({
    type: z.literal('conversations_select'),
    initial_conversation: id.optional(),
    ...conversations,
    ...respond,
    ...menu,
  }),
  z.strictObject({
    type: z.literal('channels_select'),
    initial_channel: id.optional(),
    ...respond,
    ...menu,
  }),
  z.strictObject({
    type: z.literal('multi_external_select'),
    initial_options: z.array(plainOption).optional(),
    ...queryLength,
    ...menu,
    ...most,
  }),
  z.strictObject({
    type: z.literal('multi_users_select'),
    initial_users: z.array(id).optional(),
    ...menu,
    ...most,
  }),
  z.strictObject({
    type: z.literal('multi_conversations_select'),
    initial_conversations: z.array(id).optional(),
    ...conversations,
    ...menu,
    ...most,
  }),
  z.strictObject({
    type: z.literal('multi_channels_select'),
    initial_channels: z.array(id).optional(),
    ...menu,
    ...most,
  }),
] as const;

const pickers = [
  z.strictObject({
    type: z.literal('datepicker'),
    initial_date: z.iso.date().optional(),
    ...menu,
  }),
  z.strictObject({
    type: z.literal('timepicker'),
    initial_time: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/)
      .optional(),
    timezone: words(255).optional(),
    ...menu,
  }),
  z.strictObject({
    type: z.literal('datetimepicker'),
    initial_date_time: z.int().min(1_000_000_000).max(9_999_999_999).optional(),
    ...action,
    ...confirmable,
    ...focusable,
  }),
] as const;

const plainTextInput = z
  .strictObject({
    type: z.literal('plain_text_input'),
    initial_value: z.string().max(3000).optional(),
    multiline: z.boolean().optional(),
    min_length: z.int().min(0).max(3000).optional(),
    max_length: z.int().min(1).max(3000).optional(),
    ...field,
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
const numberInput = z.strictObject({
  type: z.literal('number_input'),
  is_decimal_allowed: z.boolean(),
  initial_value: decimal.optional(),
  min_value: decimal.optional(),
  max_value: decimal.optional(),
  ...field,
});

const richTextInput = z.strictObject({
  type: z.literal('rich_text_input'),
  initial_value: richTextValue.optional(),
  ...field,
});

const workflowButton = z.strictObject({
  type: z.literal('workflow_button'),
  text: plainText(75),
  workflow: z.strictObject({
    trigger: z.strictObject({
      url: words(3000),
      customizable_input_parameters: z
        .array(z.strictObject({ name: words(255), value: words(3000) }))
        .optional(),
    }),
  }),
  style,
  ...label75,
  ...action,
  ...confirmable,
});

/** What a section may carry beside its text. */
export const accessory = z.discriminatedUnion('type', [
  button,
  checkboxes,
  image,
  overflow,
  radioButtons,
  staticSelect,
  multiStaticSelect,
  workflowButton,
  ...menus,
  ...pickers,
]);

/** What an actions block may hold. */
export const actionElement = z.discriminatedUnion('type', [
  button,
  checkboxes,
  overflow,
  radioButtons,
  staticSelect,
  multiStaticSelect,
  workflowButton,
  richTextInput,
  ...menus,
  ...pickers,
]);

/** What an input block may hold. */
export const inputElement = z.discriminatedUnion('type', [
  checkboxes,
  radioButtons,
  staticSelect,
  multiStaticSelect,
  plainTextInput,
  numberInput,
  richTextInput,
  z.strictObject({
    type: z.literal('email_text_input'),
    initial_value: z.string().optional(),
    ...field,
  }),
  z.strictObject({
    type: z.literal('url_text_input'),
    initial_value: z.string().optional(),
    ...field,
  }),
  z.strictObject({
    type: z.literal('file_input'),
    filetypes: z.array(words(255)).min(1).optional(),
    max_files: z.int().min(1).max(10).optional(),
    ...action,
  }),
  ...menus,
  ...pickers,
]);
