import type {
  ContextBlock,
  InputBlock,
  KnownBlock,
  ModalView,
  Option,
  OptionGroup,
  PlainTextOption,
  StaticSelect,
} from '@slack/types';
import { context, plain } from './blocks.ts';
import { cut, oneLine } from './safe-text.ts';

/** The longest title (docs.slack.dev/reference/views). */
const TITLE_MAX = 24;
/** docs.slack.dev/reference/block-kit/composition-objects/option-object */
const OPTION_MAX = 75;
/** The most that a text input takes; our own limits are checked, and explained, by us. */
export const INPUT_MAX = 3000;

/** A modal. With `submit` it is a form; without it only **Close** is there. */
export function modal(facts: {
  id: string;
  title: string;
  blocks: KnownBlock[];
  submit?: string;
  metadata?: string;
}): ModalView {
  const { id, title, blocks, submit, metadata } = facts;
  return {
    type: 'modal',
    callback_id: id,
    title: plain(cut(title, TITLE_MAX)),
    blocks,
    ...(submit !== undefined && { submit: plain(submit) }),
    close: plain(submit === undefined ? 'Close' : 'Cancel'),
    ...(metadata !== undefined && { private_metadata: metadata }),
  };
}

/** A field. Slack shows an error at its block, by the field's id. */
export function field(
  id: string,
  label: string,
  element: InputBlock['element'],
  {
    hint,
    optional = false,
    dispatch = false,
  }: { hint?: string; optional?: boolean; dispatch?: boolean } = {},
): InputBlock {
  return {
    type: 'input',
    block_id: id,
    label: plain(label),
    element,
    ...(hint !== undefined && { hint: plain(hint) }),
    ...(optional && { optional }),
    ...(dispatch && { dispatch_action: true }),
  };
}

/** A text field's element. An initial text that is too long is left out, not cut. */
export function textInput(
  id: string,
  {
    initial = '',
    placeholder,
    multiline = false,
  }: { initial?: string | undefined; placeholder?: string; multiline?: boolean },
): InputBlock['element'] {
  return {
    type: 'plain_text_input',
    action_id: id,
    max_length: INPUT_MAX,
    ...(multiline && { multiline }),
    ...(placeholder !== undefined && { placeholder: plain(placeholder) }),
    ...(initial !== '' && initial.length <= INPUT_MAX && { initial_value: initial }),
  };
}

/** A field's element for a whole number from `least` on. */
export function numberInput(
  id: string,
  { now, least = 0, most }: { now: number | undefined; least?: number; most?: number },
): InputBlock['element'] {
  return {
    type: 'number_input',
    action_id: id,
    is_decimal_allowed: false,
    min_value: String(least),
    ...(most !== undefined && { max_value: String(most) }),
    ...(now !== undefined && { initial_value: String(now) }),
  };
}

/** A field's element that takes people of the workspace. */
export function peopleInput(
  id: string,
  chosen: readonly string[],
  placeholder: string,
): InputBlock['element'] {
  return {
    type: 'multi_users_select',
    action_id: id,
    placeholder: plain(placeholder),
    ...(chosen.length > 0 && { initial_users: [...chosen] }),
  };
}

/** A menu, with the chosen one preselected where it is among the options. */
export function select(
  id: string,
  choices:
    | { options: PlainTextOption[] }
    | { option_groups: (OptionGroup & { options: PlainTextOption[] })[] },
  { chosen, placeholder }: { chosen?: string | undefined; placeholder?: string } = {},
): StaticSelect {
  const all =
    'options' in choices ? choices.options : choices.option_groups.flatMap(({ options }) => options);
  const initial = all.find(({ value }) => value === chosen);
  return {
    type: 'static_select',
    action_id: id,
    ...choices,
    ...(placeholder !== undefined && { placeholder: plain(placeholder) }),
    ...(initial && { initial_option: initial }),
  };
}

/** A menu whose options the app is asked for as somebody types; the first ones come at once. */
export function searched(id: string, placeholder: string): InputBlock['element'] {
  return { type: 'external_select', action_id: id, placeholder: plain(placeholder), min_query_length: 0 };
}

/** An option of a menu; a name that is too long is cut, `behind` never. */
export function option(value: string, name: string, behind = ''): PlainTextOption {
  return { value, text: plain(`${oneLine(name, OPTION_MAX - behind.length)}${behind}`) };
}

/** A field's element that takes one file; the endings are checked once more by us. */
export function fileInput(id: string, endings: string[]): InputBlock['element'] {
  return { type: 'file_input', action_id: id, filetypes: endings, max_files: 1 };
}

/** Options of which one is chosen. */
export function radios(id: string, options: PlainTextOption[], chosen?: string): InputBlock['element'] {
  const initial = options.find(({ value }) => value === chosen);
  return {
    type: 'radio_buttons',
    action_id: id,
    options,
    ...(initial && { initial_option: initial }),
  };
}

export function checkboxes(id: string, options: Option[], ticked: readonly string[]): InputBlock['element'] {
  const initial = options.filter(({ value }) => value !== undefined && ticked.includes(value));
  return {
    type: 'checkboxes',
    action_id: id,
    options,
    ...(initial.length > 0 && { initial_options: initial }),
  };
}

/** The last line of a form that leads to a preview. `editing`: it changes a draft. */
export function previewNote(editing: boolean): ContextBlock {
  return context(
    editing
      ? 'The preview replaces your draft. Nothing is sent before you press *Send* there.'
      : 'A preview with the cost follows. Nothing is sent before you press *Send* there.',
  );
}
