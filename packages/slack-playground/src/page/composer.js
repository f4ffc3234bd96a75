// @ts-check
import { h } from './dom.js';
import { icon } from './icons.js';
import { avatar, titleOf, whoAmI } from './people.js';
import { post, postShared } from './post.js';
import { createShortcutButton } from './shortcuts.js';
import { commandIn, createSuggestions } from './suggestions.js';

/** @import { PageChannel, PageState } from '../page-state.ts' */

/** How tall the field grows before it scrolls, px. */
const MAX_HEIGHT = 168;
/** A device with a touch keyboard, which may have no Enter. */
const touch = matchMedia('(pointer: coarse), (max-width: 30rem)');
/** @param {boolean} commands Whether this person has commands. */
const keys = (commands) =>
  [
    ...(touch.matches ? [] : ['Enter sends', 'Shift + Enter: a new line']),
    ...(commands ? ['/ for commands'] : []),
  ].join(' · ');
const goOn = () => (touch.matches ? 'Press the arrow' : 'Press Enter');

/**
 * The field in which people type. A text that starts with / is a command. If the server refuses it, the text comes back
 * and a sentence below says why.
 * @param {{ announce: (text: string) => void, sent: () => void, shortcut: (id: string, channel: string) => void }} options
 */
export function createComposer({ announce, sent, shortcut }) {
  /** @type {PageState | undefined} */
  let state;
  /** @type {PageChannel | undefined} */
  let channel;
  /** @type {string[]} */
  const history = [];
  let at = 0;
  /** Unsent texts by person and channel, as Slack keeps them. @type {Map<string, string>} */
  const drafts = new Map();
  let place = '';

  const who = h('p.composer-who');
  const field = h('textarea', {
    id: 'composer-text',
    rows: 1,
    autocomplete: 'off',
    spellcheck: 'false',
    // Until the page knows who types, and where.
    readonly: true,
    'aria-describedby': 'composer-hint composer-problem',
    on: { input: typed, keydown: pressed, blur: () => suggestions.hide() },
  });
  const label = h('label.unseen', { for: 'composer-text' });
  const button = h('button.send', { 'aria-label': 'Post' }, icon('send'));
  const problem = h('p.problem', { id: 'composer-problem', role: 'alert' });
  const hint = h('p.composer-hint', { id: 'composer-hint' });
  const shortcuts = createShortcutButton((id) => channel && shortcut(id, channel.id));
  const clip = h('input', {
    type: 'file',
    'aria-label': 'Post files',
    multiple: true,
    on: { change: share },
  });
  const suggestions = createSuggestions({ field, take });
  const form = h(
    'form.composer',
    { on: { submit: send } },
    suggestions.list,
    who,
    label,
    h('div.composer-box', shortcuts.root, h('span.clip', icon('clip'), clip), field, button),
    problem,
    hint,
  );
  const closed = h('p.composer-closed', { hidden: true });

  function grow() {
    field.style.height = 'auto';
    field.style.height = `${Math.min(field.scrollHeight + 2, MAX_HEIGHT)}px`;
  }

  /** Shows help for the text in the field. */
  function advise() {
    const command = commandIn(state?.commands ?? [], field.value);
    const usage = command && [h('code', `${command.word} ${command.hint}`.trim()), ` ${command.description}`];
    hint.replaceChildren(...(usage ?? [keys(state?.commands.length !== 0)]));
    hint.classList.toggle('is-usage', usage !== undefined);
  }

  function typed() {
    grow();
    advise();
    problem.textContent = '';
    form.classList.remove('filled');
    suggestions.show(state?.commands ?? []);
    const count = suggestions.list.childElementCount;
    if (!suggestions.list.hidden)
      announce(`${count} command${count === 1 ? '' : 's'} to choose from with the arrow keys.`);
  }

  /** @param {string} text */
  function write(text) {
    field.value = text;
    grow();
    advise();
    suggestions.hide();
    field.setSelectionRange(text.length, text.length);
  }

  /** @param {PageState['commands'][number]} command */
  function take(command) {
    write(command.hint ? `${command.word} ` : command.word);
    field.focus();
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    if (event.isComposing || suggestions.handles(event)) return;
    if (event.key === 'Enter' && !event.shiftKey) send(event);
    // Arrows go through earlier texts, unless the person has typed something else.
    const to = at + (event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0);
    const recalled = field.value === '' || field.value === history[at];
    if (to === at || !recalled || to < 0 || to > history.length) return;
    event.preventDefault();
    at = to;
    write(history[at] ?? '');
  }

  /** @param {Event} event */
  async function send(event) {
    event.preventDefault();
    const text = field.value;
    if (text.trim() === '' || !state || !channel) return;
    const body = { as: state.as, channel: channel.id, text: text.trim() };
    history.push(text);
    at = history.length;
    form.classList.remove('filled');
    problem.textContent = '';
    write('');
    sent();
    const from = place;
    const answer = await post(text.startsWith('/') ? '/act/command' : '/act/say', body);
    if (answer.ok) return;
    if (from !== place) {
      drafts.set(from, text);
      return;
    }
    if (field.value === '') write(text);
    problem.textContent = answer.problem;
  }

  /** Posts the chosen files, each as a message. */
  async function share() {
    const given = [...clip.files];
    clip.value = '';
    problem.textContent = '';
    if (!state || !channel) return;
    const [from, as, to] = [place, state.as, channel.id];
    for (const file of given) {
      const answer = await postShared({ as, channel: to, name: file.name }, file);
      if (!answer.ok && from === place) problem.textContent = answer.problem;
    }
  }

  /** Another person or channel: keeps the text of the old place, and shows that of the new one. @param {string} next */
  function moveTo(next) {
    if (next === place) return;
    drafts.set(place, field.value);
    place = next;
    problem.textContent = '';
    form.classList.remove('filled');
    write(drafts.get(next) ?? '');
  }

  /** If the filled-in text is still there, says what to do after Enter. @param {string} after */
  function remind(after) {
    if (!form.classList.contains('filled')) return;
    hint.replaceChildren(h('strong', goOn()), ` to run it. ${after}`);
    announce(after);
  }

  return {
    nodes: [form, closed],
    focus: () => field.focus(),

    /** Fills in a text, for Enter to send. @param {string} text @param {string} after What to do after Enter. */
    fill(text, after) {
      problem.textContent = '';
      write(text);
      form.classList.add('filled');
      field.focus();
      remind(after);
      announce(`The composer holds: ${text}. ${goOn()} to run it.`);
    },
    remind,
    /** Shows a problem below the field; an empty one goes away. @param {string} text */
    complain(text) {
      problem.textContent = text;
    },

    /** @param {PageState} now @param {PageChannel | undefined} there */
    update(now, there) {
      const me = whoAmI(now);
      moveTo(there ? `${now.as} ${there.id}` : '');
      if (now.as !== state?.as || !who.hasChildNodes()) {
        who.replaceChildren(
          avatar(now, now.as),
          'You are ',
          h('strong', me?.name ?? 'nobody'),
          h('span.badge', me?.role ?? ''),
        );
      }
      state = now;
      channel = there;
      field.readOnly = there === undefined;
      if (!form.classList.contains('filled')) advise();
      shortcuts.update(now);
      const title = there ? titleOf(there) : '';
      label.textContent = `Message ${title} as ${me?.name ?? ''}`;
      field.placeholder = `Message ${title}`;
      form.hidden = there?.canType !== true;
      closed.hidden = !form.hidden;
      closed.replaceChildren(
        ...(there
          ? [avatar(now, now.as), `${me?.name ?? 'You'} (${me?.role ?? ''}) can read here, but not write.`]
          : []),
      );
    },
  };
}
