import type { Block, Json, StateValues } from './types.ts';

/** An element that a person can use, and the block that holds it. */
export interface Spot {
  block: Block;
  element: Json;
}

/** What a person chooses or types: a text, the text or value of an option, an id, or a whole option (external menus). */
export type Choice = string | number | Json | readonly (string | Json)[] | null;

/** The fields of each element's state and of its initial state. Other elements (buttons, overflow) have no state. */
const KINDS: Record<string, { key: string; initial: string; many?: true; option?: true }> = {
  plain_text_input: { key: 'value', initial: 'initial_value' },
  email_text_input: { key: 'value', initial: 'initial_value' },
  url_text_input: { key: 'value', initial: 'initial_value' },
  number_input: { key: 'value', initial: 'initial_value' },
  rich_text_input: { key: 'rich_text_value', initial: 'initial_value' },
  static_select: { key: 'selected_option', initial: 'initial_option', option: true },
  external_select: { key: 'selected_option', initial: 'initial_option', option: true },
  radio_buttons: { key: 'selected_option', initial: 'initial_option', option: true },
  multi_static_select: { key: 'selected_options', initial: 'initial_options', many: true, option: true },
  multi_external_select: { key: 'selected_options', initial: 'initial_options', many: true, option: true },
  checkboxes: { key: 'selected_options', initial: 'initial_options', many: true, option: true },
  users_select: { key: 'selected_user', initial: 'initial_user' },
  conversations_select: { key: 'selected_conversation', initial: 'initial_conversation' },
  channels_select: { key: 'selected_channel', initial: 'initial_channel' },
  multi_users_select: { key: 'selected_users', initial: 'initial_users', many: true },
  multi_conversations_select: { key: 'selected_conversations', initial: 'initial_conversations', many: true },
  multi_channels_select: { key: 'selected_channels', initial: 'initial_channels', many: true },
  datepicker: { key: 'selected_date', initial: 'initial_date' },
  timepicker: { key: 'selected_time', initial: 'initial_time' },
  datetimepicker: { key: 'selected_date_time', initial: 'initial_date_time' },
  file_input: { key: 'files', initial: 'initial_files', many: true },
};

/** The key of an element's state. */
export const spotKey = ({ block, element }: Spot): string => `${block.block_id}\n${element.action_id}`;

/** The elements of a block that a person can use, with their place in the block. */
export function* elementsOf(block: Json): Generator<[path: (string | number)[], element: Json]> {
  if (block.type === 'input') yield [['element'], block.element as Json];
  if (block.type === 'section' && block.accessory) yield [['accessory'], block.accessory as Json];
  if (block.type === 'actions') {
    for (const [i, element] of (block.elements as Json[]).entries()) yield [['elements', i], element];
  }
}

/** The usable elements of `blocks`, in order. */
export const spotsOf = (blocks: readonly Block[]): Spot[] =>
  blocks.flatMap((block) =>
    [...elementsOf(block)]
      .filter(([, element]) => element.action_id !== undefined)
      .map(([, element]) => ({ block, element })),
  );

/** An element's visible words: a button's text, an input's label. */
export function labelOf({ block, element }: Spot): string {
  const text = (block.type === 'input' ? block.label : element.text) as { text?: string } | undefined;
  return text?.text ?? '';
}

/** The options of an element, also those in groups. */
export function optionsOf(element: Json): Json[] {
  const groups = (element.option_groups as { options: Json[] }[] | undefined) ?? [];
  return [...((element.options as Json[] | undefined) ?? []), ...groups.flatMap((group) => group.options)];
}

/** The option whose value or text is `choice`. Throws if there is none. */
export function optionOf(element: Json, choice: string | Json): Json {
  if (typeof choice === 'object') return choice;
  const textOf = (option: Json) => (option.text as { text: string }).text;
  const options = optionsOf(element);
  const found = options.find((o) => o.value === choice) ?? options.find((o) => textOf(o) === choice);
  if (found) return found;
  throw new Error(`There is no option "${choice}". There are: ${options.map(textOf).join(', ')}.`);
}

/** The state of an element after this choice; undefined for elements without a state. */
export function stateAfter(element: Json, choice: Choice): Json | undefined {
  const kind = KINDS[String(element.type)];
  if (!kind) return undefined;
  const { key, many, option } = kind;
  const pick = (one: string | Json) => (option ? optionOf(element, one) : one);
  const listed = Array.isArray(choice) ? choice : choice === null ? [] : [choice];
  if (many) return { type: element.type, [key]: listed.map(pick) };
  const empty = choice === null || choice === '';
  return { type: element.type, [key]: empty ? null : option ? pick(choice as string | Json) : choice };
}

/** The payload's entry in `actions` for using `spot`, and the new state of the element if it has one. */
export function actOn(
  { block, element }: Spot,
  value: Choice | undefined,
  ts: string,
): { action: Json; state?: Json } {
  const { type, action_id } = element;
  const common = { type, action_id, block_id: block.block_id, action_ts: ts };
  if (element.type === 'overflow') {
    return { action: { ...common, selected_option: optionOf(element, value as string) } };
  }
  const state = stateAfter(element, value ?? null);
  if (state) return { action: { ...common, ...state }, state };
  const { text, value: given, style } = element;
  return { action: { ...common, text, value: given, style } };
}

function initialState(element: Json): Json | undefined {
  const kind = KINDS[String(element.type)];
  if (!kind) return undefined;
  return { type: element.type, [kind.key]: element[kind.initial] ?? (kind.many ? [] : null) };
}

/** The blocks, whose menus with `default_to_current_conversation` begin with `channel`. */
export function withCurrent(blocks: readonly Block[], channel: string | undefined): Block[] {
  const set = (element: Json): Json => {
    const kind = KINDS[String(element.type)];
    if (channel === undefined || element.default_to_current_conversation !== true || !kind) return element;
    return { ...element, [kind.initial]: kind.many ? [channel] : channel };
  };
  return blocks.map((block) => (block.element ? { ...block, element: set(block.element as Json) } : block));
}

/** `state.values` of a message or view: what the person entered, else the initial value of each element. */
export function stateValues(blocks: readonly Block[], inputs: ReadonlyMap<string, Json>): StateValues {
  const values: StateValues = {};
  for (const spot of spotsOf(blocks)) {
    const state = inputs.get(spotKey(spot)) ?? initialState(spot.element);
    if (!state) continue;
    values[spot.block.block_id] ??= {};
    (values[spot.block.block_id] as Record<string, Json>)[String(spot.element.action_id)] = state;
  }
  return values;
}

/**
 * The errors that Slack's client itself shows under inputs, by block id: a required input is empty, a text is too short
 * or too long. The client then sends nothing.
 */
export function clientErrors(blocks: readonly Block[], values: StateValues): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const { block, element } of spotsOf(blocks)) {
    const kind = KINDS[String(element.type)];
    if (block.type !== 'input' || !kind) continue;
    const value = values[block.block_id]?.[String(element.action_id)]?.[kind.key] ?? null;
    const empty = value === null || value === '' || (Array.isArray(value) && value.length === 0);
    if (empty && block.optional !== true) errors[block.block_id] = 'Please complete this required field.';
    if (typeof value !== 'string') continue;
    const { min_length: min, max_length: max } = element as { min_length?: number; max_length?: number };
    if (min !== undefined && value.length < min)
      errors[block.block_id] = `Must be at least ${min} characters.`;
    if (max !== undefined && value.length > max)
      errors[block.block_id] = `Must be at most ${max} characters.`;
  }
  return errors;
}
