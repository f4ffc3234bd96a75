// @ts-check
import { h } from './dom.js';

/**
 * Makes a function that asks a question on top of everything. Esc and the first button mean no.
 * @param {any} dialog
 */
export function createAsk(dialog) {
  /**
   * @param {{ title: string, text: Node | string, confirm: string, deny: string, danger?: boolean }} question
   * @returns {Promise<boolean>}
   */
  return ({ title, text, confirm, deny, danger = false }) =>
    new Promise((resolve) => {
      const no = h('button.button', { value: 'no' }, deny);
      const yes = h(`button.button.${danger ? 'danger' : 'primary'}`, { value: 'yes' }, confirm);
      const form = h(
        'form',
        { method: 'dialog' },
        h('div.modal-head', h('h2', { id: 'ask-title' }, title)),
        h('div.modal-body', { id: 'ask-text' }, text),
        h('div.modal-foot', no, yes),
      );
      dialog.replaceChildren(form);
      dialog.returnValue = 'no';
      dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
      dialog.showModal();
      no.focus();
    });
}
