import type { InputBlock, ModalView, OptionGroup, PlainTextOption, StaticSelect } from '@slack/types';
import { blocksOf, context, type Part, plain } from './blocks.ts';
import { cut, oneLine } from './safe-text.ts';

/** The longest title (docs.slack.dev/reference/views). */
const TITLE_MAX = 24;
/** docs.slack.dev/reference/block-kit/composition-objects/option-object */
export const OPTION_MAX = 75;
/** The most options of a menu: docs.slack.dev/reference/block-kit/block-elements/select-menu-element. */
export const MOST_OPTIONS = 100;
/** The longest text that an input takes. We check our own limits, and explain them. */
export const INPUT_MAX = 3000;

/** A modal: a form if there is a `submit`; otherwise **Close** is its only button. */
export function modal(
  id: string,
  { title, submit, metadata }: { title: string; submit?: string; metadata?: string },
  parts: Part[],
): ModalView {
  return {
    type: 'modal',
    callback_id: id,
    title: plain(cut(title, TITLE_MAX)),
    blocks: blocksOf(parts),
    ...(submit !== undefined && { submit: plain(submit) }),
    close: plain(submit === undefined ? 'Close' : 'Cancel'),
    ...(metadata !== undefined && { private_metadata: metadata }),
  };
}

/** The element of a field, without the id: `field` adds that. */
type Unnamed<Element> = Element extends unknown ? Omit<Element, 'action_id'> : never;
export type FieldElement = Unnamed<InputBlock['element']>;

/**
 * A field. Slack shows an error at its block, by the field's id. The element has the same id. If the form comes again in
 * the place of the view with this `hash`, the element gets a fresh id: Slack would keep what the old one held. With
 * `action`, Slack reports each choice at once, by this id.
 */
export function field(
  id: string,
  label: string,
  element: FieldElement,
  options: { hint?: string; optional?: boolean; hash?: string | undefined; action?: string } = {},
): InputBlock {
  const { hint, optional = false, hash, action } = options;
  return {
    type: 'input',
    block_id: id,
    label: plain(label),
    element: { ...element, action_id: action ?? (hash ? `${id}_${hash}` : id) },
    ...(hint !== undefined && { hint: plain(hint) }),
    ...(optional && { optional }),
    ...(action !== undefined && { dispatch_action: true }),
  };
}

/** A text field's element, of `most` characters. We leave out an initial text that is too long, and never cut one. */
export function textInput(
  options: {
    initial?: string | undefined;
    placeholder?: string | undefined;
    multiline?: boolean;
    most?: number;
  } = {},
): FieldElement {
  const { initial = '', placeholder, multiline = false, most = INPUT_MAX } = options;
  return {
    type: 'plain_text_input',
    max_length: most,
    ...(multiline && { multiline }),
    ...(placeholder !== undefined && { placeholder: plain(placeholder) }),
    ...(initial !== '' && initial.length <= most && { initial_value: initial }),
  };
}

/** A field's element for a whole number, from `least` to `most`. */
export function numberInput(
  now: number | undefined,
  { least = 0, most }: { least?: number; most?: number } = {},
): FieldElement {
  return {
    type: 'number_input',
    is_decimal_allowed: false,
    min_value: String(least),
    ...(most !== undefined && { max_value: String(most) }),
    ...(now !== undefined && { initial_value: String(now) }),
  };
}

export function peopleInput(chosen: readonly string[], placeholder: string): FieldElement {
  return {
    type: 'multi_users_select',
    placeholder: plain(placeholder),
    ...(chosen.length > 0 && { initial_users: [...chosen] }),
  };
}

export type OptionGroups = (OptionGroup & { options: PlainTextOption[] })[];

/** A menu. `chosen` is preselected if it is among the options. */
export function select(
  choices: { options: PlainTextOption[] } | { option_groups: OptionGroups },
  { chosen, placeholder }: { chosen?: string | undefined; placeholder?: string } = {},
): Unnamed<StaticSelect> {
  const all =
    'options' in choices ? choices.options : choices.option_groups.flatMap(({ options }) => options);
  const initial = all.find(({ value }) => value === chosen);
  return {
    type: 'static_select',
    ...choices,
    ...(placeholder !== undefined && { placeholder: plain(placeholder) }),
    ...(initial && { initial_option: initial }),
  };
}

/** The same for a fixed set of options: names by value. */
export function choice(names: { [value: string]: string }, chosen: string): Unnamed<StaticSelect> {
  return select({ options: optionsOf(names) }, { chosen });
}

/** A menu outside a form: a choice acts at once. */
export function menu(action: string, ...of: Parameters<typeof select>): StaticSelect {
  return { ...select(...of), action_id: action };
}

/** An option of a menu. A name that is too long is cut; `behind` never is. */
export function option(value: string, name: string, behind = ''): PlainTextOption {
  return { value, text: plain(`${oneLine(name, OPTION_MAX - behind.length)}${behind}`) };
}

/** Options in this order: names by value. */
export function optionsOf(names: { [value: string]: string }): PlainTextOption[] {
  return Object.entries(names).map(([value, name]) => option(value, name));
}

/** A field's element for a day such as `2026-11-22`; undefined: no day is chosen yet. */
export function dayInput(initial: string | undefined, placeholder: string): FieldElement {
  return {
    type: 'datepicker',
    placeholder: plain(placeholder),
    ...(initial !== undefined && { initial_date: initial }),
  };
}

/** A field's element for one file. We check the endings once more. */
export function fileInput(endings: string[]): FieldElement {
  return { type: 'file_input', filetypes: endings, max_files: 1 };
}

export function radios(options: PlainTextOption[], chosen?: string): FieldElement {
  const initial = options.find(({ value }) => value === chosen);
  return { type: 'radio_buttons', options, ...(initial && { initial_option: initial }) };
}

/** Boxes to tick, with the words beside each and below it. */
export function checkboxes(
  boxes: { value: string; text: string; description?: string }[],
  ticked: readonly string[],
): FieldElement {
  const options = boxes.map(({ value, text, description }) => ({
    value,
    text: plain(text),
    ...(description !== undefined && { description: plain(description) }),
  }));
  const initial = options.filter(({ value }) => ticked.includes(value));
  return { type: 'checkboxes', options, ...(initial.length > 0 && { initial_options: initial }) };
}

export function box(
  one: { value: string; text: string; description?: string },
  isTicked = false,
): FieldElement {
  return checkboxes([one], isTicked ? [one.value] : []);
}

/** The last line of a form that leads to a preview. `editing`: it changes a draft. */
export function previewNote(editing: boolean): Part {
  return context(
    editing
      ? 'The preview replaces your draft. Nothing is sent before you press *Send* there.'
      : 'A preview with the cost follows. Nothing is sent before you press *Send* there.',
  );
}
