// @ts-check

/** @import { Answer } from './post.js' */

/** How long a button stays busy after its answer, when nothing on the screen changes, ms. */
const PATIENCE_MS = 3000;

/** Buttons that were pressed and are busy until the screen changes. */
export function createBusy() {
  /** @type {Map<Element, string>} What stood on the screen when the button was pressed. */
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
     * Does `work` with the control marked as busy; nothing while it is busy already.
     * @param {Element} control
     * @param {() => Promise<Answer>} work
     * @returns {Promise<Answer | undefined>}
     */
    async during(control, work) {
      if (waiting.has(control)) return undefined;
      waiting.set(control, screen);
      control.setAttribute('aria-busy', 'true');
      control.setAttribute('aria-disabled', 'true');
      const answer = await work();
      if (!answer.ok) free(control);
      else setTimeout(() => free(control), PATIENCE_MS);
      return answer;
    },
    /** The screen as it is now, in any form that differs when it does. @param {string} now */
    screenChanged(now) {
      screen = now;
      for (const [control, before] of waiting) if (before !== now) free(control);
    },
  };
}
