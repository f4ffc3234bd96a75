// @ts-check
import { buttonTo, h, uniqueId } from './dom.js';

/**
 * A button that opens a short menu: arrows move, Enter chooses, Esc closes.
 * @param {{ label: string, value: string, url?: string }[]} options
 * @param {(value: string, control: HTMLElement) => void} choose
 * @param {Node} face
 * @param {string} [name]
 */
export function overflowMenu(options, choose, face, name = 'More') {
  const id = uniqueId('menu');
  const opener = buttonTo(
    () => toggle(list.hidden),
    {
      class: 'button overflow',
      'aria-label': name,
      'aria-haspopup': 'menu',
      'aria-expanded': 'false',
      'aria-controls': id,
    },
    face,
  );
  const items = options.map(({ label, value, url }) => {
    const chosen = () => {
      toggle(false);
      if (url && /^https?:/i.test(url)) window.open(url, '_blank', 'noopener');
      choose(value, opener);
    };
    return buttonTo(chosen, { role: 'menuitem', tabindex: '-1' }, label);
  });
  const list = h('div.menu', { id, role: 'menu', 'aria-label': name, hidden: true }, items);

  /** @param {boolean} open */
  function toggle(open) {
    list.hidden = !open;
    opener.setAttribute('aria-expanded', String(open));
    (open ? items[0] : opener).focus();
    // The focus shows only the first item.
    if (open) list.scrollIntoView({ block: 'nearest' });
  }

  /** @param {KeyboardEvent} event */
  function move(event) {
    const at = items.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (event.key === 'Escape' && !list.hidden) {
      event.preventDefault();
      event.stopPropagation();
      toggle(false);
    }
    if (to === undefined || list.hidden) return;
    event.preventDefault();
    items.at(to % items.length).focus();
  }

  const wrap = h('div.menu-wrap', { on: { keydown: move } }, opener, list);
  wrap.addEventListener('focusout', (/** @type {FocusEvent} */ event) => {
    if (wrap.contains(/** @type {Node | null} */ (event.relatedTarget)) || list.hidden) return;
    list.hidden = true;
    opener.setAttribute('aria-expanded', 'false');
  });
  return wrap;
}
