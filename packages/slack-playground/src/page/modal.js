// @ts-check
import { inputValues, showBlocks } from './blocks.js';
import { buttonTo, h } from './dom.js';
import { cross } from './icons.js';
import { plainText } from './mrkdwn.js';

/** @import { PageState } from '../page-state.ts' */
/** @import { OpenView } from '../types.ts' */
/** @import { Use } from './elements.js' */
/** @import { Answer } from './post.js' */

/** @typedef {{ block: any, element: any }} Spot An element, and the block that holds it. */

/** The fields of a form. */
const FIELDS = 'input:not([type=hidden]), select, textarea';

/**
 * The modals of a person: shows the topmost one, and keeps what the person typed in those below.
 * @param {object} options
 * @param {any} options.dialog
 * @param {import('./mrkdwn.js').Names} options.names
 * @param {(view: string, values: Record<string, any>, use: Use) => Promise<Answer | undefined>} options.act
 * @param {(view: string, values: Record<string, any>, control: HTMLElement) => Promise<Answer | undefined>} options.submit
 * @param {(view: string, use: Spot, file: File) => Promise<Answer>} options.attach
 * @param {(view: string, use: Spot, file: import('../types.ts').FileInfo) => Promise<Answer>} options.detach
 * @param {(view: string, all: boolean) => void} options.close
 * @param {() => void} options.focusElsewhere Takes the focus if the element that had it before is gone.
 */
export function createModals({ dialog, names, act, submit, attach, detach, close, focusElsewhere }) {
  /** @type {Map<string, { body: HTMLElement, drafts: Map<string, any> }>} */
  const open = new Map();
  let shown = '';
  let beginning = '';
  let errorStamp = '';
  /** Files on their way to the server. @type {Set<Promise<unknown>>} */
  const uploads = new Set();
  /** @type {OpenView | undefined} */
  let top;

  const title = h('h2', { id: 'modal-title', tabindex: '-1' });
  const depth = h('p.depth');
  const exit = cross('Close', () => leave(true));
  const middle = h('div.modal-middle');
  const problem = h('p.problem', { role: 'alert' });
  const status = h('p.unseen', { role: 'status' });
  const no = buttonTo(() => leave(false), { class: 'button' });
  const yes = h('button.button.primary', { type: 'submit' });
  const form = h(
    'form',
    { novalidate: true, on: { submit: send } },
    h('div.modal-head', title, depth, exit),
    middle,
    problem,
    status,
    h('div.modal-foot', no, yes),
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

  for (const type of ['dragover', 'drop']) {
    dialog.addEventListener(type, (/** @type {any} */ event) => {
      // If somebody drops a file beside the field, the browser would leave this page and open the file.
      if (event.target.type !== 'file') event.preventDefault();
    });
  }

  /** @param {boolean} all */
  function leave(all) {
    if (top) close(top.view.id, all);
  }

  /** @param {Event} event */
  async function send(event) {
    event.preventDefault();
    if (!top?.view.submit) return;
    const { view } = top;
    problem.textContent = '';
    await Promise.all(uploads);
    const answer = await submit(view.id, valuesOf(view), yes);
    complain(view.id, answer);
  }

  /** Says what went wrong inside the modal, since a screen reader reads nothing outside. @param {string} id @param {Answer | undefined} answer */
  function complain(id, answer) {
    if (answer && !answer.ok && shown === id) problem.textContent = answer.problem;
  }

  /** @param {OpenView['view']} view */
  const valuesOf = (view) => inputValues(view.blocks, open.get(view.id)?.drafts ?? new Map());

  /** The files in an input. @param {OpenView['view']} view @param {any} block @returns {readonly any[]} */
  const chosen = (view, block) =>
    /** @type {any} */ (view.state.values[block.block_id]?.[block.element?.action_id])?.files ?? [];

  /** @param {OpenView['view']} view @returns {import('./file-input.js').Attachments} */
  const attachments = (view) => ({
    chosen: (block) => chosen(view, block),
    async attach(use, files) {
      problem.textContent = '';
      const all = async () => {
        for (const file of files) complain(view.id, await attach(view.id, use, file));
      };
      const upload = all();
      uploads.add(upload);
      await upload;
      uploads.delete(upload);
    },
    detach: async (use, file) => complain(view.id, await detach(view.id, use, file)),
  });

  /** @param {PageState} state @param {OpenView} one @param {Map<string, any>} drafts */
  function surface(state, { view, errors }, drafts) {
    return {
      names,
      state,
      drafts,
      errors,
      files: attachments(view),
      act: async (/** @type {Use} */ use) => {
        problem.textContent = '';
        complain(view.id, await act(view.id, valuesOf(view), use));
      },
    };
  }

  /** @param {PageState} state @param {OpenView} one */
  function fill(state, one) {
    const { view, errors } = one;
    const kept = open.get(view.id) ?? { body: h('div.modal-body'), drafts: new Map() };
    open.set(view.id, kept);
    showBlocks(kept.body, view.blocks, surface(state, one, kept.drafts), {
      key: (block) => `${block.block_id} ${block.type}`,
      stamp: (block) => [errors[block.block_id], chosen(view, block)],
    });
    return kept.body;
  }

  function focusFirst() {
    const first = /** @type {HTMLElement | null} */ (middle.querySelector(FIELDS));
    (first ?? title).focus();
  }

  function shut() {
    if (!dialog.open) return;
    // If a selection is left in the modal, Chromium returns the focus to a text field that then ignores keys.
    getSelection()?.removeAllRanges();
    dialog.close();
    shown = '';
    if (document.activeElement === document.body) focusElsewhere();
  }

  /** The title and the buttons. @param {PageState['views']} views @param {OpenView['view']} view */
  function drawFrame(views, view) {
    title.replaceChildren(plainText(view.title));
    const below = views.at(-2)?.view.title.text;
    depth.textContent = below === undefined ? '' : `on top of “${below}”`;
    dialog.style.setProperty('--below', String(views.length - 1));
    no.replaceChildren(plainText(view.close ?? { text: 'Close' }));
    yes.hidden = !view.submit;
    if (view.submit) yes.replaceChildren(plainText(view.submit));
  }

  /** If an update puts something new at the top, the person should see that first. @param {OpenView['view']} view */
  function scrollToNews({ blocks: [first] }) {
    // Without its id: if the app gives none, each update has a new one.
    const now = JSON.stringify({ ...first, block_id: undefined });
    if (now !== beginning) middle.scrollTop = 0;
    beginning = now;
  }

  /** @param {OpenView['view']} view */
  function sayFiles(view) {
    const files = view.blocks.flatMap((block) => chosen(view, block)).map(({ name }) => name);
    status.textContent = files.length > 0 ? `Chosen: ${files.join(', ')}.` : '';
  }

  /** Moves the focus into another view, or from an element that is gone or no field. @param {boolean} isAnother */
  function placeFocus(isAnother) {
    const active = document.activeElement;
    const isIdle = !dialog.contains(active) || [title, exit, dialog, form].includes(active);
    if (isAnother || (isIdle && middle.querySelector(FIELDS)) || active === document.body) focusFirst();
  }

  /** Moves the focus to the first new error. @param {OpenView} one */
  function showErrors({ view, errors }) {
    const stamp = JSON.stringify([view.id, errors]);
    if (stamp !== errorStamp && Object.keys(errors).length > 0) {
      const wrong = middle.querySelector('.has-error');
      (wrong?.querySelector(FIELDS) ?? wrong?.querySelector('.file button'))?.focus();
      wrong?.scrollIntoView({ block: 'nearest' });
    }
    errorStamp = stamp;
  }

  return {
    /** @param {PageState} state */
    update(state) {
      top = state.views.at(-1);
      for (const id of open.keys()) if (!state.views.some(({ view }) => view.id === id)) open.delete(id);
      if (!top) return shut();
      const { view } = top;
      const isAnother = shown !== view.id;
      if (!dialog.open) dialog.showModal();
      drawFrame(state.views, view);
      const body = fill(state, top);
      if (middle.firstElementChild !== body) middle.replaceChildren(body);
      scrollToNews(view);
      sayFiles(view);
      if (isAnother) problem.textContent = '';
      placeFocus(isAnother);
      shown = view.id;
      showErrors(top);
    },
  };
}
