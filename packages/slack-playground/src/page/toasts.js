// @ts-check
import { h } from './dom.js';
import { cross, icon } from './icons.js';

/** How long a toast shows if nobody closes it, ms. */
const STANDS_MS = 12_000;

/** What went wrong, in words, for a while. @param {HTMLElement} root */
export function createToasts(root) {
  return (/** @type {string} */ text) => {
    const gone = () => toast.remove();
    const toast = h('div.toast', icon('warning'), h('p', text), cross('Dismiss', gone));
    root.replaceChildren(toast);
    setTimeout(gone, STANDS_MS);
  };
}
