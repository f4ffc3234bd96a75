// @ts-check

/** How long to gather what is to be said, ms: a screen reader hears only the last of several changes at once. */
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
