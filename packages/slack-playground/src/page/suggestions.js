// @ts-check
import { h, uniqueId } from './dom.js';

/** @typedef {import('../page-state.ts').PageState['commands'][number]} Command */

/** The commands that begin with `text`. @param {readonly Command[]} commands @param {string} text */
function fitting(commands, text) {
  if (!text.startsWith('/') || text.includes('\n')) return [];
  const start = text.toLowerCase();
  return commands.filter((command) => command.word.startsWith(start) && command.word !== start);
}

/** The command at the beginning of `text`, of several the longest. @param {readonly Command[]} commands @param {string} text */
export function commandIn(commands, text) {
  const [first = '', second = ''] = text.split(/\s+/);
  const used = commands.filter((command) => [first, `${first} ${second}`].includes(command.word));
  return used.sort((one, other) => other.word.length - one.word.length)[0];
}

/**
 * The list of fitting commands above the composer. The text field keeps the focus, and names the active option.
 * @param {{ field: any, take: (command: Command) => void }} options
 */
export function createSuggestions({ field, take }) {
  const id = uniqueId('commands');
  // A long list scrolls, so the keyboard must be able to reach it.
  const about = { role: 'listbox', 'aria-label': 'Commands', tabindex: '0' };
  const list = h('ul.suggestions', { id, hidden: true, ...about });
  field.setAttribute('aria-autocomplete', 'list');
  field.setAttribute('aria-controls', id);
  /** @type {Command[]} */
  let offered = [];
  let active = -1;

  /** @param {number} to */
  function activate(to) {
    active = to;
    for (const [at, option] of [...list.children].entries())
      option.setAttribute('aria-selected', String(at === to));
    const option = list.children[to];
    if (!option) return field.removeAttribute('aria-activedescendant');
    field.setAttribute('aria-activedescendant', option.id);
    option.scrollIntoView({ block: 'nearest' });
  }

  function hide() {
    offered = [];
    list.hidden = true;
    activate(-1);
  }

  /** @param {readonly Command[]} commands */
  function show(commands) {
    offered = fitting(commands, field.value);
    list.hidden = offered.length === 0;
    list.replaceChildren(
      ...offered.map((command, at) =>
        h(
          'li',
          {
            id: `${id}-${at}`,
            role: 'option',
            'aria-selected': 'false',
            // Pressing the mouse must not take the focus from the text field.
            on: {
              mousedown: (/** @type {Event} */ event) => event.preventDefault(),
              click: () => take(command),
            },
          },
          h('span.suggestion-word', command.word, command.hint && h('span.usage', ` ${command.hint}`)),
          h('span.suggestion-text', command.description),
        ),
      ),
    );
    activate(-1);
  }

  return {
    list,
    show,
    hide,
    /** Handles a key. Returns whether it was for the list. @param {KeyboardEvent} event */
    handles(event) {
      if (offered.length === 0) return false;
      const chosen = offered[active] ?? (event.key === 'Tab' && !event.shiftKey ? offered[0] : undefined);
      if (event.key === 'ArrowDown') activate((active + 1) % offered.length);
      else if (event.key === 'ArrowUp') activate((active <= 0 ? offered.length : active) - 1);
      else if (event.key === 'Escape') hide();
      else if (['Enter', 'Tab'].includes(event.key) && chosen) take(chosen);
      else return false;
      event.preventDefault();
      return true;
    },
  };
}
