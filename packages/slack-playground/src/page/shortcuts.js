// @ts-check
import { h } from './dom.js';
import { icon } from './icons.js';
import { overflowMenu } from './overflow.js';

/** @import { PageState } from '../page-state.ts' */

/**
 * A menu of the app's shortcuts of one type; undefined if it has none.
 * @param {PageState} state
 * @param {'global' | 'message'} type
 * @param {(callbackId: string, control: HTMLElement) => void} choose
 */
export function shortcutMenu(state, type, choose) {
  const own = state.shortcuts.filter((one) => one.type === type);
  if (own.length === 0) return undefined;
  const options = own.map(({ name, callback_id }) => ({ label: name, value: callback_id }));
  const [face, label] = type === 'global' ? ['bolt', 'Shortcuts'] : ['more', 'More actions'];
  return overflowMenu(options, choose, icon(/** @type {any} */ (face)), `${label} of ${state.bot.name}`);
}

/**
 * The menu beside the composer.
 * @param {(callbackId: string) => void} choose
 */
export function createShortcutButton(choose) {
  const root = h('div.shortcuts', { hidden: true });
  let stamp = '';
  return {
    root,
    /** @param {PageState} state */
    update(state) {
      const now = JSON.stringify([state.shortcuts, state.bot.name]);
      if (now === stamp) return;
      stamp = now;
      const menu = shortcutMenu(state, 'global', choose);
      root.hidden = menu === undefined;
      root.replaceChildren(...(menu ? [menu] : []));
    },
  };
}
