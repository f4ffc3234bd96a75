// @ts-check
import { h } from './dom.js';
import { icon } from './icons.js';
import { avatar, whoAmI } from './people.js';

/** @type {readonly { id: string, name: string, icon: import('./icons.js').IconName }[]} */
const PANELS = [
  { id: 'channel', name: 'Channel', icon: 'message' },
  { id: 'phones', name: 'Phones', icon: 'phone' },
  { id: 'service', name: 'Service', icon: 'dial' },
  { id: 'places', name: 'Workspace', icon: 'hash' },
];

/**
 * On a small screen one part of the page shows at a time; these choose which.
 * @param {{ root: HTMLElement, app: HTMLElement }} options
 */
export function createTabs({ root, app }) {
  const count = h('span', { class: 'count' });
  const who = h('button', { type: 'button', class: 'who', on: { click: () => show('places') } });
  const buttons = PANELS.map(({ id, name, icon: face }) =>
    h(
      'button',
      { type: 'button', 'data-panel': id, on: { click: () => show(id) } },
      icon(face),
      h('span', {}, name),
      id === 'phones' && count,
    ),
  );
  root.replaceChildren(...buttons, who);
  let unseen = 0;
  let known = -1;

  /** @param {string} id */
  function show(id) {
    app.dataset.panel = id;
    if (id === 'phones') unseen = 0;
    count.textContent = unseen > 0 ? ` ${unseen}` : '';
    for (const button of buttons) {
      if (button.dataset.panel === id) button.setAttribute('aria-current', 'true');
      else button.removeAttribute('aria-current');
    }
  }

  show('channel');
  return {
    show,
    /** @param {import('../page-state.ts').PageState} state */
    update(state) {
      const { length } = state.service.texts;
      if (known >= 0 && length > known && app.dataset.panel !== 'phones') unseen += length - known;
      known = length;
      count.textContent = unseen > 0 ? ` ${unseen}` : '';
      const me = whoAmI(state);
      who.replaceChildren(
        avatar(state, state.as),
        h('span', { 'aria-hidden': 'true' }, me?.name ?? ''),
        h('span', { class: 'unseen' }, `You are ${me?.name ?? 'nobody'}, ${me?.role ?? ''}`),
      );
    },
  };
}
