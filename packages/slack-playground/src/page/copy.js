// @ts-check
import { buttonTo, h } from './dom.js';
import { icon } from './icons.js';

/** How long the button says "Copied", ms. */
const SAID_MS = 2500;

/**
 * A key, and a button with `words` that copies it.
 * @param {{ key: string, name: string, announce: (text: string) => void, words?: string }} options
 */
export function copyableKey({ key, name, announce, words = 'Copy' }) {
  const shown = h('code.key', key);
  const face = h('span', words);
  const about = { class: 'button small', 'aria-label': `Copy the key ${name}` };
  const button = buttonTo(copy, about, icon('copy'), face);

  async function copy() {
    try {
      await navigator.clipboard.writeText(key);
      face.textContent = 'Copied';
      announce('The key is copied.');
    } catch {
      // The browser does not allow it: select the key, so that people can copy it by keyboard.
      shown.classList.add('marked');
      getSelection()?.selectAllChildren(shown);
      face.textContent = 'Press Ctrl + C';
      announce('The key is marked. Press Control and C to copy it.');
    }
    setTimeout(() => {
      face.textContent = words;
    }, SAID_MS);
  }

  return h('span.copyable', shown, button);
}
