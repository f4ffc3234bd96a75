// @ts-check
import { copyableKey } from '/page/copy.js';
import { buttonTo, h, keyed } from '/page/dom.js';

/** @typedef {import('../panels.ts').ServicePanelState} Service */

const FORGOTTEN =
  'The playground forgets everything: messages, links, texts, credits and the steps. You cannot undo this.';

/**
 * The panel that controls the messaging service and the bot's process.
 * @param {import('../../packages/slack-playground/src/page/panels.js').Tools} tools
 */
export function createPanel({ root, act, restart, startOver, announce }) {
  const accounts = h('ul', { class: 'accounts', 'aria-label': 'Accounts' });
  const faults = h('ul', { class: 'faults', 'aria-labelledby': 'faults-title' });
  const refusedLists = h('div', { class: 'refused-lists' });
  const kill = buttonTo(() => restart(kill), { class: 'button' }, 'Kill and restart the bot');
  const over = buttonTo(() => startOver(over, FORGOTTEN), { class: 'button danger-quiet' }, 'Start over …');
  root.replaceChildren(
    h('header', { class: 'panel-head' }, h('h2', { id: 'service-title' }, 'Messaging service')),
    h(
      'div',
      { class: 'panel-scroll', role: 'region', 'aria-label': 'Accounts, faults and the bot', tabindex: '0' },
      accounts,
      h('h3', { id: 'faults-title' }, 'What goes wrong next'),
      faults,
      refusedLists,
    ),
    h('div', { class: 'panel-foot' }, kill, over),
  );

  /** @param {Service['accounts'][number]} account @param {Service['keys']} keys */
  function accountRow({ id, name }, keys) {
    const field = h('input', {
      type: 'number',
      id: `credits-${id}`,
      min: '0',
      step: '1',
      inputmode: 'numeric',
      'data-spot': `credits-${id}`,
      on: {
        change: async () => {
          const credits = Number(field.value);
          const done = /^\d+$/.test(field.value) && (await act('credits', { account: id, credits }));
          if (!done) field.value = field.defaultValue;
        },
        keydown: (/** @type {KeyboardEvent} */ event) => event.key === 'Enter' && field.blur(),
      },
    });
    const own = keys.filter(({ account }) => account === id);
    return h(
      'li',
      { class: 'account' },
      h(
        'label',
        { for: `credits-${id}` },
        h('span', { class: 'account-name' }, name),
        h('span', { class: 'unseen' }, ', credits'),
      ),
      field,
      h('span', { class: 'unit', 'aria-hidden': 'true' }, 'credits'),
      own.map(({ key, name: called, revoked }) =>
        revoked
          ? h('span', { class: 'badge bad' }, 'Key revoked')
          : copyableKey({ key, name: called, announce, words: 'Key' }),
      ),
    );
  }

  /** Shows the credits, but does not change a figure that a person is typing. @param {number} id @param {number} credits */
  function showCredits(id, credits) {
    const field = /** @type {HTMLInputElement} */ (accounts.querySelector(`#credits-${id}`));
    const typing = field === document.activeElement && field.value !== field.defaultValue;
    field.defaultValue = String(credits);
    if (!typing) field.value = field.defaultValue;
  }

  /** @param {Service['faults'][number]} fault */
  function faultRow({ id, sentence, active }) {
    async function switched() {
      if (!(await act('fault', { id, on: input.checked }))) input.checked = active;
    }
    const input = h('input', {
      type: 'checkbox',
      role: 'switch',
      id: `fault-${id}`,
      checked: active,
      'data-spot': `fault-${id}`,
      on: { change: switched },
    });
    return h('li', { class: 'fault' }, input, h('label', { for: `fault-${id}` }, sentence));
  }

  /** @param {Service['refusedLists']} refused */
  function refusedListsMenu({ chosen, choices, number }) {
    async function choose() {
      if (!(await act('refused-lists', { id: menu.value }))) menu.value = chosen;
    }
    const menu = h(
      'select',
      {
        id: 'refused-lists',
        'data-spot': 'refused-lists',
        on: { change: choose },
      },
      choices.map(({ id, sentence }) => h('option', { value: id }, sentence)),
    );
    menu.value = chosen;
    return h('div', {}, h('label', { for: 'refused-lists' }, `A list with ${number} is refused`), menu);
  }

  return {
    /** @param {Service} service */
    update({ accounts: all, keys, faults: offered, refusedLists: refused }) {
      keyed(accounts, all, {
        key: ({ id }) => String(id),
        stamp: ({ name }) => JSON.stringify([name, keys]),
        render: (account) => accountRow(account, keys),
      });
      for (const { id, credits } of all) showCredits(id, credits);
      keyed(faults, offered, {
        key: ({ id }) => id,
        render: faultRow,
      });
      keyed(refusedLists, [refused], {
        key: () => 'menu',
        render: refusedListsMenu,
      });
    },
  };
}
