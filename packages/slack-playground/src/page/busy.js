// @ts-check

/** @import { Answer } from './post.js' */

/** How long a button stays busy after its answer if nothing on the screen changes, ms. */
const PATIENCE_MS = 3000;

/** Keeps a pressed button busy until the screen changes. */
export function createBusy() {
  /** The screen when the person pressed the button. @type {Map<Element, { screen: string }>} */
  const waiting = new Map();
  let screen = '';

  /** @param {Element} control */
  function free(control) {
    waiting.delete(control);
    control.removeAttribute('aria-busy');
    control.removeAttribute('aria-disabled');
  }

  return {
    /**
     * Marks the control as busy and does `work`; does nothing if the control is busy already.
     * @param {Element} control
     * @param {() => Promise<Answer>} work
     * @returns {Promise<Answer | undefined>}
     */
    async during(control, work) {
      if (waiting.has(control)) return undefined;
      const press = { screen };
      waiting.set(control, press);
      control.setAttribute('aria-busy', 'true');
      control.setAttribute('aria-disabled', 'true');
      const answer = await work();
      // Meanwhile the screen may have changed, and the person may have pressed the button again.
      const end = () => waiting.get(control) === press && free(control);
      if (answer.ok) setTimeout(end, PATIENCE_MS);
      else end();
      return answer;
    },
    /** Call this with a text that differs whenever the screen does. @param {string} now */
    screenChanged(now) {
      screen = now;
      for (const [control, before] of waiting) if (before.screen !== now) free(control);
    },
  };
}
