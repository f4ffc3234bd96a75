// @ts-check
import { h } from './dom.js';

/**
 * Asks before something happens, on top of everything. Esc and the second button say no; focus goes back to where it was.
 * @param {any} dialog
 */
export function createAsk(dialog) {
  /**
   * @param {{ title: string, text: Node | string, confirm: string, deny: string, danger?: boolean }} question
   * @returns {Promise<boolean>}
   */
  return ({ title, text, confirm, deny, danger = false }) =>
    new Promise((resolve) => {
      const back = /** @type {HTMLElement | null} */ (document.activeElement);
      let answer = false;
      const say = (/** @type {boolean} */ yes) => () => {
        answer = yes;
        dialog.close();
      };
      const no = h('button', { type: 'button', class: 'button', on: { click: say(false) } }, deny);
      const yes = h(
        'button',
        { type: 'button', class: `button ${danger ? 'danger' : 'primary'}`, on: { click: say(true) } },
        confirm,
      );
      dialog.replaceChildren(
        h('div', { class: 'modal-head' }, h('h2', { id: 'ask-title' }, title)),
        h('div', { class: 'modal-body', id: 'ask-text' }, text),
        h('div', { class: 'modal-foot' }, no, yes),
      );
      const closed = () => {
        resolve(answer);
        if (back?.isConnected) back.focus();
      };
      dialog.addEventListener('close', closed, { once: true });
      dialog.showModal();
      no.focus();
    });
}
