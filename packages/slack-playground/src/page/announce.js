// @ts-check

/** How long to collect sentences, ms: of several quick changes, a screen reader reads only the last. */
const GATHER_MS = 120;

/** Makes a function whose sentences screen readers read aloud. @param {HTMLElement} root */
export function createAnnouncer(root) {
  /** @type {string[]} */
  let waiting = [];
  return (/** @type {string} */ text) => {
    waiting.push(text);
    if (waiting.length > 1) return;
    setTimeout(() => {
      root.textContent = waiting.join(' ');
      waiting = [];
    }, GATHER_MS);
  };
}
