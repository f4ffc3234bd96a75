// @ts-check
import { buttonTo, h } from './dom.js';
import { icon } from './icons.js';
import { avatar, whoAmI } from './people.js';

/** @import { PageState } from '../page-state.ts' */

/** @typedef {{ id: string, button: HTMLElement, count: HTMLElement, unseen: number, known?: number }} Tab */

/**
 * The tabs of a small screen, which shows one part of the page at a time.
 * @param {{ root: HTMLElement, app: HTMLElement }} options
 */
export function createTabs({ root, app }) {
  const who = buttonTo(() => show('places'), { class: 'who' });
  /** @type {Tab[]} */
  let tabs = [];

  /** @param {string} id @param {string} name @param {any} face @returns {Tab} */
  function tab(id, name, face) {
    const count = h('span.count');
    const button = buttonTo(() => show(id), { 'data-panel': id }, icon(face), h('span', name), count);
    return { id, button, count, unseen: 0 };
  }

  /** @param {PageState} state */
  function build({ tabs: panels }) {
    tabs = [
      tab('channel', 'Channel', 'message'),
      ...panels.map(({ id, name, icon: face }) => tab(id, name, face)),
      tab('places', 'Workspace', 'hash'),
    ];
    root.replaceChildren(...tabs.map(({ button }) => button), who);
    show(app.dataset.panel ?? 'channel');
  }

  function showCounts() {
    for (const { count, unseen } of tabs) count.textContent = unseen > 0 ? ` ${unseen}` : '';
  }

  /** @param {string} shown */
  function show(shown) {
    app.dataset.panel = shown;
    for (const one of tabs) {
      const isShown = one.id === shown;
      if (isShown) one.unseen = 0;
      one.button.ariaCurrent = isShown ? 'true' : null;
      document.getElementById(`panel-${one.id}`)?.classList.toggle('current', isShown);
    }
    showCounts();
  }

  return {
    show,
    /** @param {PageState} state @param {Record<string, number>} counts How many things each panel has. */
    update(state, counts) {
      if (tabs.length === 0) build(state);
      for (const one of tabs) {
        const now = counts[one.id];
        if (now === undefined) continue;
        const more = app.dataset.panel === one.id ? 0 : Math.max(0, now - (one.known ?? now));
        // Things may also go: those do not count as new any more.
        one.unseen = Math.min(now, one.unseen + more);
        one.known = now;
      }
      showCounts();
      const me = whoAmI(state);
      who.replaceChildren(
        avatar(state, state.as),
        h('span', { 'aria-hidden': 'true' }, me?.name ?? ''),
        h('span.unseen', `You are ${me?.name ?? 'nobody'}, ${me?.role ?? ''}`),
      );
    },
  };
}
