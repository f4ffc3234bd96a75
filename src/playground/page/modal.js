// @ts-check
import { inputKeys, renderBlock } from './blocks.js';
import { h, keyed } from './dom.js';
import { choiceIn } from './elements.js';
import { icon } from './icons.js';
import { plainText } from './mrkdwn.js';

/** @typedef {import('../page-state.ts').PageState} PageState */
/** @typedef {import('../types.ts').OpenView} OpenView */
/** @typedef {import('../page-state.ts').ActionAnswer} ActionAnswer */

/** What can be focused in a form, first things first. */
const FIELDS = 'input:not([type=hidden]), select, textarea';

/**
 * The modals of a person: the topmost one shows, the ones below keep what was typed.
 * @param {object} options
 * @param {any} options.dialog
 * @param {import('./mrkdwn.js').Names} options.names
 * @param {(view: string, values: Record<string, any>, use: import('./elements.js').Use) => Promise<ActionAnswer | undefined>} options.act
 * @param {(view: string, values: Record<string, any>, control: HTMLElement) => Promise<ActionAnswer | undefined>} options.submit
 * @param {(view: string, all: boolean) => void} options.close
 * @param {() => void} options.focusElsewhere Where the focus goes when nothing is left of where it came from.
 */
export function createModals({ dialog, names, act, submit, close, focusElsewhere }) {
  /** @type {Map<string, { body: HTMLElement, drafts: Map<string, any> }>} */
  const open = new Map();
  /** @type {HTMLElement | null} */
  let back = null;
  let shown = '';
  let errorStamp = '';
  /** @type {OpenView | undefined} */
  let top;

  const title = h('h2', { id: 'modal-title', tabindex: '-1' });
  const depth = h('p', { class: 'depth' });
  const cross = h(
    'button',
    { type: 'button', class: 'cross', 'aria-label': 'Close', on: { click: () => leave(true) } },
    icon('close'),
  );
  const middle = h('div', { class: 'modal-middle' });
  const problem = h('p', { class: 'problem', role: 'alert' });
  const no = h('button', { type: 'button', class: 'button', on: { click: () => leave(false) } });
  const yes = h('button', { type: 'submit', class: 'button primary' });
  const form = h(
    'form',
    { novalidate: true, on: { submit: submitted } },
    h('div', { class: 'modal-head' }, title, depth, cross),
    middle,
    problem,
    h('div', { class: 'modal-foot' }, no, yes),
  );
  dialog.replaceChildren(form);
  dialog.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    event.preventDefault();
    leave(false);
  });
  dialog.addEventListener('cancel', (/** @type {Event} */ event) => {
    if (event.target !== dialog) return;
    event.preventDefault();
    leave(false);
  });

  /** @param {boolean} all */
  function leave(all) {
    if (top) close(top.view.id, all);
  }

  /** @param {Event} event */
  function submitted(event) {
    event.preventDefault();
    send();
  }

  async function send() {
    if (!top?.view.submit) return;
    const { view } = top;
    problem.textContent = '';
    const answer = await submit(view.id, valuesOf(view), yes);
    complain(view.id, answer);
  }

  /** Says inside the modal what went wrong: nothing outside of it can be read now. @param {string} id @param {ActionAnswer | undefined} answer */
  function complain(id, answer) {
    if (answer && !answer.ok && shown === id)
      problem.textContent = answer.problem ?? 'That did not work. Please try again.';
  }

  /** What the inputs hold, by block id. @param {OpenView['view']} view */
  function valuesOf(view) {
    const drafts = open.get(view.id)?.drafts ?? new Map();
    const inputs = view.blocks.filter(
      (block) => block.type === 'input' && /** @type {any} */ (block.element).type !== 'file_input',
    );
    return Object.fromEntries(
      inputs.map((block) => [block.block_id, choiceIn(block, block.element, drafts)]),
    );
  }

  /** @param {PageState} state @param {OpenView} one @param {Map<string, any>} drafts */
  function surface(state, { view, errors }, drafts) {
    return {
      names,
      people: state.people,
      channels: state.channels.filter(({ kind }) => kind !== 'im'),
      drafts,
      errors,
      act: async (/** @type {import('./elements.js').Use} */ use) => {
        problem.textContent = '';
        complain(view.id, await act(view.id, valuesOf(view), use));
      },
    };
  }

  /** What was typed stays where its input stays. @param {OpenView} one */
  function prune({ view }) {
    const drafts = open.get(view.id)?.drafts;
    const still = new Set(inputKeys(view.blocks));
    for (const key of drafts?.keys() ?? []) if (!still.has(key)) drafts?.delete(key);
  }

  /** @param {PageState} state @param {OpenView} one */
  function fill(state, one) {
    const { view, errors } = one;
    const kept = open.get(view.id) ?? { body: h('div', { class: 'modal-body' }), drafts: new Map() };
    open.set(view.id, kept);
    prune(one);
    const where = surface(state, one, kept.drafts);
    const around = JSON.stringify([state.people, state.channels.map(({ id, name }) => [id, name])]);
    keyed(kept.body, view.blocks, {
      key: (block) => `${block.block_id} ${block.type}`,
      stamp: (block) => JSON.stringify([block, errors[block.block_id] ?? null]) + around,
      render: (block) => renderBlock(block, where),
    });
    return kept.body;
  }

  function focusFirst() {
    const first = /** @type {HTMLElement | null} */ (middle.querySelector(FIELDS));
    (first ?? title).focus();
  }

  function shut() {
    if (!dialog.open) return;
    dialog.close();
    shown = '';
    if (back?.isConnected && back !== document.body) back.focus();
    else focusElsewhere();
  }

  return {
    /** @param {PageState} state */
    update(state) {
      top = state.views.at(-1);
      for (const id of open.keys()) if (!state.views.some(({ view }) => view.id === id)) open.delete(id);
      if (!top) return shut();
      const { view, errors } = top;
      const another = shown !== view.id;
      if (!dialog.open) {
        back = /** @type {HTMLElement | null} */ (document.activeElement);
        dialog.showModal();
      }
      title.replaceChildren(plainText(view.title));
      const below = state.views.at(-2)?.view.title.text;
      depth.textContent = below === undefined ? '' : `on top of “${below}”`;
      dialog.style.setProperty('--below', String(state.views.length - 1));
      no.replaceChildren(plainText(view.close ?? { text: 'Close' }));
      yes.hidden = !view.submit;
      if (view.submit) yes.replaceChildren(plainText(view.submit));
      const body = fill(state, top);
      if (middle.firstElementChild !== body) middle.replaceChildren(body);
      const active = document.activeElement;
      const idle =
        !dialog.contains(active) ||
        active === title ||
        active === cross ||
        active === dialog ||
        active === form;
      if (another) problem.textContent = '';
      // What had the focus may be gone with the view before.
      if (another || (idle && middle.querySelector(FIELDS)) || document.activeElement === document.body)
        focusFirst();
      shown = view.id;
      const stamp = JSON.stringify([view.id, errors]);
      if (stamp !== errorStamp && Object.keys(errors).length > 0) {
        const wrong = middle.querySelector('.has-error');
        wrong?.querySelector('input, select, textarea')?.focus();
        wrong?.scrollIntoView({ block: 'nearest' });
      }
      errorStamp = stamp;
    },
  };
}
