// @ts-check

/** @typedef {Node | string | null | undefined | false} Child */

/**
 * Makes an element; `p.hint` is a `p` with the class `hint`. `rest` may begin with properties: `on` has listeners, `value`
 * and `checked` become properties of the node, all others attributes. `true` is an empty attribute; `false`, `null` and
 * `undefined` are none. Children are nodes and texts: no text ever becomes HTML.
 * @param {string} tag
 * @param {...(Record<string, any> | Child | Child[])} rest Properties, if any, and children.
 * @returns {any}
 */
export function h(tag, ...rest) {
  const [name = '', ...classes] = tag.split('.');
  const node = document.createElement(name);
  if (classes.length > 0) node.className = classes.join(' ');
  const given = /** @type {any} */ (rest[0])?.constructor === Object ? rest.shift() : {};
  const { on = {}, ...props } = /** @type {Record<string, any>} */ (given);
  for (const [type, listener] of Object.entries(on)) node.addEventListener(type, listener);
  for (const [key, value] of Object.entries(props)) {
    if (!isThere(value)) continue;
    if (key === 'value' || key === 'checked') Object.assign(node, { [key]: value });
    else node.setAttribute(key, value === true ? '' : String(value));
  }
  node.append(.../** @type {(Node | string)[]} */ (rest.flat().filter(isThere)));
  return node;
}

/** @param {unknown} value */
const isThere = (value) => value !== undefined && value !== null && value !== false;

/**
 * A button that calls `click`.
 * @param {(event: Event) => void} click
 * @param {Record<string, any>} props
 * @param {...(Child | Child[])} children
 */
export const buttonTo = (click, props, ...children) =>
  h('button', { type: 'button', ...props, on: { click } }, ...children);

/**
 * Replaces `old` with `fresh`. Focus inside `old` moves to the element of `fresh` with the same `data-spot`, with the
 * selection. If there is none, it moves to the first field of a form, else to `fresh` itself.
 * @param {HTMLElement} old
 * @param {HTMLElement} fresh
 */
export function replaceKeepingFocus(old, fresh) {
  const active = /** @type {any} */ (document.activeElement);
  const had = old.contains(active);
  const { selectionStart, selectionEnd } = had ? active : {};
  old.replaceWith(fresh);
  if (!had) return;
  const spot = active.dataset?.spot;
  const same = spot === undefined ? null : fresh.querySelector(`[data-spot="${CSS.escape(spot)}"]`);
  const field = fresh.closest('form') && fresh.querySelector('input, select, textarea');
  const target = /** @type {any} */ (same ?? field ?? fresh);
  if (target === fresh && !fresh.hasAttribute('tabindex')) fresh.tabIndex = -1;
  target.focus({ preventScroll: true });
  if (same && typeof selectionStart === 'number') target.setSelectionRange(selectionStart, selectionEnd);
}

/** @type {WeakMap<Element, Map<string, { node: HTMLElement, stamp: string }>>} */
const kept = new WeakMap();

/**
 * Shows `items` as the children of `parent`. A child keeps its node while its key and stamp stay the same, and with it
 * focus, scroll and what a person typed. By default, the stamp is the whole item.
 * @template T
 * @param {Element} parent
 * @param {readonly T[]} items
 * @param {{ key: (item: T) => string, stamp?: (item: T) => string, render: (item: T) => HTMLElement }} how
 */
export function keyed(parent, items, { key, stamp = JSON.stringify, render }) {
  const before = kept.get(parent) ?? new Map();
  const now = new Map();
  for (const item of items) {
    const old = before.get(key(item));
    const wanted = stamp(item);
    if (old?.stamp === wanted) {
      now.set(key(item), old);
      continue;
    }
    const node = render(item);
    if (old) replaceKeepingFocus(old.node, node);
    now.set(key(item), { node, stamp: wanted });
  }
  for (const [name, { node }] of before) if (!now.has(name)) node.remove();
  let next = parent.firstElementChild;
  for (const { node } of now.values()) {
    if (node === next) next = node.nextElementSibling;
    else parent.insertBefore(node, next);
  }
  kept.set(parent, now);
}

let counter = 0;

/** An id that no other element has. @param {string} prefix */
export function uniqueId(prefix) {
  counter += 1;
  return `${prefix}-${counter}`;
}
