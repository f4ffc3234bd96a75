// @ts-check
import { h } from './dom.js';
import { cross, icon } from './icons.js';

/** How long a toast shows if nobody closes it, ms. */
const SHOWN_MS = 12_000;

/** Makes a function that says for a while what went wrong. @param {HTMLElement} root */
export function createToasts(root) {
  return (/** @type {string} */ text) => {
    const gone = () => toast.remove();
    const toast = h('div.toast', icon('warning'), h('p', text), cross('Dismiss', gone));
    root.replaceChildren(toast);
    setTimeout(gone, SHOWN_MS);
  };
}
