// @ts-check

/** How long to gather sentences, ms: of several changes at once, a screen reader reads only the last. */
const GATHER_MS = 120;

/** Says something to people who listen to the page. @param {HTMLElement} root */
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
