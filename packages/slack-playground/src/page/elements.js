// @ts-check
import { h, uniqueId } from './dom.js';
import { fileInput } from './file-input.js';
import { pictureOf } from './files.js';
import { icon } from './icons.js';
import { plainText, textObject } from './mrkdwn.js';
import { overflowMenu } from './overflow.js';
import { titleOf } from './people.js';

/**
 * A person used an element: pressed a button, or made a choice.
 * @typedef {{ block: any, element: any, value?: any, control: HTMLElement }} Use
 */

/**
 * The message, modal or Home that shows blocks.
 * @typedef {object} Surface
 * @property {import('./mrkdwn.js').Names} names
 * @property {import('../page-state.ts').PageState} state
 * @property {Map<string, any>} drafts What the person typed or chose, by `spotKey`.
 * @property {(use: Use) => void} act Tells the app.
 * @property {Readonly<Record<string, string>>} errors By block id.
 * @property {import('./file-input.js').Attachments} [files] Only in a modal.
 */

/**
 * An element's id, its name, and the ids of its label, hint and error.
 * @typedef {{ id: string, labelledBy?: string, label?: string | undefined, describedBy?: string, invalid?: boolean }} Calling
 */

/** The key of an element in `drafts`. @param {any} block @param {any} element */
export const spotKey = (block, element) => `${block.block_id}\n${element.action_id}`;

/** @param {any} option */
const optionValue = (option) => option?.value ?? option?.text?.text;

/** An element's initial choice, as the server takes it. @param {any} element */
function initialChoice(element) {
  const key = Object.keys(element).find((one) => one.startsWith('initial_'));
  if (!key) return /^multi_|^checkboxes$/.test(element.type) ? [] : null;
  const initial = element[key];
  if (key === 'initial_options') return initial.map(optionValue);
  return key === 'initial_option' ? optionValue(initial) : initial;
}

/** An element's choice now. @param {any} block @param {any} element @param {Map<string, any>} drafts */
export function choiceIn(block, element, drafts) {
  const key = spotKey(block, element);
  return drafts.has(key) ? drafts.get(key) : initialChoice(element);
}

/** The attributes that name an element. @param {Calling} calling */
const called = ({ id, labelledBy, label, describedBy, invalid }) => ({
  id,
  'aria-labelledby': labelledBy,
  'aria-label': labelledBy ? undefined : label,
  'aria-describedby': describedBy || undefined,
  'aria-invalid': invalid ? 'true' : undefined,
});

/** Makes a function that keeps a choice, and tells the app if the element acts at once. @param {any} block @param {any} element @param {Surface} surface */
function keeper(block, element, surface) {
  const acts = block.type !== 'input' || block.dispatch_action === true;
  return (/** @type {any} */ value, /** @type {HTMLElement} */ control, now = true) => {
    surface.drafts.set(spotKey(block, element), value);
    if (acts && now) surface.act({ block, element, value, control });
  };
}

/** @param {any} element @param {any} block @param {Surface} surface */
function button(element, block, surface) {
  const { url, text, style = '', accessibility_label } = element;
  const kind = url
    ? { href: /^https?:/i.test(url) ? url : undefined, target: '_blank', rel: 'noopener noreferrer' }
    : { type: 'button', 'data-spot': spotKey(block, element), 'aria-label': accessibility_label };
  const click = () => surface.act({ block, element, control });
  const control = h(
    url ? 'a' : 'button',
    { class: `button ${style}`, ...kind, on: { click } },
    plainText(text),
  );
  return control;
}

/** The input types of the elements that people type into. @type {Record<string, string>} */
const FIELDS = {
  plain_text_input: 'text',
  number_input: 'number',
  email_text_input: 'email',
  url_text_input: 'url',
  datepicker: 'date',
  timepicker: 'time',
};

/** @param {any} element @param {any} block @param {Surface} surface @param {Calling} calling */
function textField(element, block, surface, calling) {
  const keep = keeper(block, element, surface);
  const type = FIELDS[element.type];
  const immediate = type === 'date' || type === 'time';
  const control = h(element.multiline ? 'textarea' : 'input', {
    ...called(calling),
    'data-spot': spotKey(block, element),
    type: element.multiline ? undefined : type,
    rows: element.multiline ? 4 : undefined,
    maxlength: element.max_length,
    min: element.min_value,
    max: element.max_value,
    step: type === 'number' ? (element.is_decimal_allowed ? 'any' : '1') : undefined,
    placeholder: element.placeholder?.text,
    autocomplete: 'off',
    spellcheck: element.multiline ? undefined : 'false',
    value: choiceIn(block, element, surface.drafts) ?? '',
    on: {
      input: () => keep(control.value, control, immediate),
      keydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key !== 'Enter' || element.multiline || block.dispatch_action !== true) return;
        event.preventDefault();
        keep(control.value, control);
      },
    },
  });
  return control;
}

/** @param {any} option */
const optionNode = (option) => h('option', { value: optionValue(option) }, option.text.text);

/** A menu of one choice. @param {any} element @param {any} block @param {Surface} surface @param {Calling} calling */
function menu(element, block, surface, calling) {
  const keep = keeper(block, element, surface);
  const chosen = choiceIn(block, element, surface.drafts);
  // Like Slack's "Clear selection": an optional field can be empty again.
  const chosenOnly = block.type !== 'input' || block.optional !== true;
  const placeholder = h(
    'option',
    { value: '', disabled: chosenOnly, hidden: chosenOnly },
    element.placeholder?.text ?? 'Choose …',
  );
  const control = h(
    'select',
    {
      ...called(calling),
      'data-spot': spotKey(block, element),
      on: { change: () => keep(control.value || null, control) },
    },
    placeholder,
    groupsOf(element, surface).flatMap(({ label, options }) => {
      const nodes = options.map(optionNode);
      return label ? h('optgroup', { label: label.text }, nodes) : nodes;
    }),
  );
  control.value = chosen ?? '';
  return control;
}

/**
 * Checkboxes or radio buttons, one below the other.
 * @param {any} element @param {any} block @param {Surface} surface @param {Calling} calling
 */
function boxes(element, block, surface, calling) {
  const keep = keeper(block, element, surface);
  const one = element.type === 'radio_buttons';
  const chosen = [choiceIn(block, element, surface.drafts) ?? []].flat();
  const options = groupsOf(element, surface).flatMap((group) => group.options);
  const inputs = options.map((option, at) =>
    h('input', {
      type: one ? 'radio' : 'checkbox',
      name: calling.id,
      value: optionValue(option),
      checked: chosen.includes(optionValue(option)),
      id: `${calling.id}-${at}`,
      'data-spot': `${spotKey(block, element)}\n${at}`,
      'aria-describedby': option.description ? `${calling.id}-${at}-more` : undefined,
    }),
  );
  const changed = (/** @type {Event} */ event) => {
    const ticked = inputs.filter((input) => input.checked).map((input) => input.value);
    keep(one ? (ticked[0] ?? null) : ticked, /** @type {HTMLElement} */ (event.target));
  };
  const rows = options.map(({ text, description }, at) =>
    h(
      'div.choice',
      inputs[at],
      h('label', { for: `${calling.id}-${at}` }, textObject(text, surface.names)),
      description && h('p.hint', { id: `${calling.id}-${at}-more` }, textObject(description, surface.names)),
    ),
  );
  const { 'aria-invalid': _, ...group } = called(calling);
  const role = one ? 'radiogroup' : 'group';
  return h(
    `div.choices${rows.length > 6 ? '.choices-many' : ''}`,
    { role, ...group, on: { change: changed } },
    rows,
  );
}

/**
 * The conversations that a menu offers. Source: docs.slack.dev/reference/block-kit/composition-objects/conversation-filter-object.
 * @param {any} element @param {Surface} surface
 */
function conversationsFor({ type, filter = {} }, { state: { channels } }) {
  if (/channels_select$/.test(type)) return channels.filter(({ kind }) => kind === 'public');
  return channels.filter(
    ({ kind, isShared, isWithBot }) =>
      (filter.include?.includes(kind) ?? true) &&
      !(filter.exclude_external_shared_channels === true && isShared) &&
      !(filter.exclude_bot_users === true && isWithBot),
  );
}

/** @param {string} value @param {string} text */
const asOption = (value, text) => ({ value, text: { text, emoji: false } });

/**
 * The options of a menu, in their groups.
 * @param {any} element @param {Surface} surface
 * @returns {{ label?: { text: string }, options: any[] }[]}
 */
function groupsOf(element, surface) {
  if (/users_select$/.test(element.type))
    return [{ options: surface.state.people.map(({ id, name }) => asOption(id, name)) }];
  if (/(?:channels|conversations)_select$/.test(element.type))
    return [{ options: conversationsFor(element, surface).map((one) => asOption(one.id, titleOf(one))) }];
  return [{ options: element.options ?? [] }, ...(element.option_groups ?? [])];
}

/** The id of a file of the workspace. @param {{ id?: string, url?: string }} file */
const fileIn = ({ id, url = '' }) => id ?? /-(F[A-Z0-9]+)\//.exec(url)?.[1] ?? '';

/** A picture; if the page can't show it, its `alt_text`. @param {any} picture @param {string} kind @param {string} as Who looks. */
export function picture(picture, kind, as) {
  const { slack_file: file, image_url = '', alt_text } = picture;
  const source = file ? pictureOf(fileIn(file), as) : String(image_url);
  const words = h('span.no-picture', alt_text);
  if (!/^(?:https?:|data:image\/|\/)/i.test(source)) return words;
  // An error: this person may not see the file, or it is gone.
  const shown = h('img', {
    class: kind,
    src: source,
    alt: alt_text,
    on: { error: () => shown.replaceWith(words) },
  });
  return shown;
}

/** Says that the page can't show a block or element, and shows its JSON. @param {any} thing @param {string} kind */
export function unshown(thing, kind) {
  return h(
    'details.unshown',
    h('summary', `This page has no way to show this ${kind} (“${thing.type}”).`),
    h('pre', JSON.stringify(thing, null, 2)),
  );
}

const MENU = /^(?:static|users|channels|conversations)_select$/;
const BOXES = /^(?:checkboxes|radio_buttons|multi_(?:static|users|channels|conversations)_select)$/;

/**
 * An element of a block. In an input block without `dispatch_action` it only keeps the choice; elsewhere it acts at once.
 * @param {any} element @param {any} block @param {Surface} surface @param {Partial<Calling>} [calling]
 * @returns {HTMLElement}
 */
export function renderElement(element, block, surface, calling = {}) {
  // An input block has a label; elsewhere the placeholder is the name.
  const label = calling.id === undefined ? (element.placeholder?.text ?? 'Choose') : undefined;
  const whole = { label, ...calling, id: calling.id ?? uniqueId('element') };
  if (element.type in FIELDS) return textField(element, block, surface, whole);
  if (MENU.test(element.type)) return menu(element, block, surface, whole);
  if (BOXES.test(element.type)) return boxes(element, block, surface, whole);
  switch (element.type) {
    case 'button':
      return button(element, block, surface);
    case 'overflow':
      return overflowMenu(
        element.options.map((/** @type {any} */ option) => ({
          label: option.text.text,
          value: optionValue(option),
          url: option.url,
        })),
        (value, control) => surface.act({ block, element, value, control }),
        icon('more'),
      );
    case 'image':
      return picture(element, 'thumb', surface.state.as);
    case 'file_input':
      return surface.files
        ? fileInput(element, block, surface.files, whole, spotKey(block, element))
        : unshown(element, 'element');
    default:
      return unshown(element, 'element');
  }
}
